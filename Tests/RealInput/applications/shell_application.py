"""The sqlite3 shell: a .dump of Django's database read into a store that has its tables, then a table restored from it.

Django's tables have quoted names, so the dump creates them only if they are missing; its indexes it always creates.
"""
import os
import subprocess

import application

SOURCE = "source.db"


def beside(path, name):
    return os.path.join(os.path.dirname(path), name)


def shell(path, script):
    done = subprocess.run(["sqlite3", "-batch", "-bail", path], input=script.encode() if isinstance(script, str) else script, capture_output=True)
    assert done.returncode == 0 and not done.stderr, done.stderr.decode(errors="replace")[:500]
    return done.stdout


def prepare(path):
    source = beside(path, SOURCE)
    with open(beside(path, "dump.sql"), "wb") as file:
        file.write(shell(source, ".dump\n"))
    with open(beside(path, "tags.sql"), "wb") as file:
        file.write(shell(source, ".dump library_tag\n"))
    shell(path, shell(source, "SELECT sql || ';' FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY rowid;"))


def work(path):
    with open(beside(path, "dump.sql"), "rb") as file:
        shell(path, file.read())


def more(path):
    shell(path, "UPDATE library_book SET pages = pages + 1 WHERE id % 3 = 0;\nDELETE FROM library_book_tags WHERE id % 2;\n")
    shell(path, "BEGIN;\nINSERT OR REPLACE INTO library_tag(id, name) SELECT id, name || '!' FROM library_tag;\nROLLBACK;\n"
                "REPLACE INTO library_tag(id, name) VALUES (1, x'00ff'), (2, 2.5);\n")


def change(path):
    shell(path, "PRAGMA foreign_keys = OFF;\nDROP TABLE library_tag;\n")
    with open(beside(path, "tags.sql"), "rb") as file:
        shell(path, file.read())


def work_again(path):
    shell(path, "UPDATE library_tag SET name = upper(name);\nDELETE FROM library_author WHERE id % 4 = 0;\n")


if __name__ == "__main__":
    application.main(globals())
