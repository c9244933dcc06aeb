"""A writer of the chain, in a process of its own, until it is told to stop.

    python3 chain.py DATABASE NAME SEED tagged|untagged|loose|command LOG [BINARY]

Each transaction adds a link that names the link before it, so that the links alone say what was committed and in which order,
also where a restored store went on from an older one. A link says what else its transaction does, in order: `i3` inserts its
part 3, `u3` changes it, `d3` deletes it, and `s` adds a row to the table whose shape others change.

`tagged` writes plain SQL under an author, `untagged` the same without one, `loose` links alone outside of any BEGIN, `command`
writes by the program's `write`. LOG gets a line before each transaction, and one after each that was rolled back.
"""
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time

SCHEMA = """
CREATE TABLE links(place INTEGER PRIMARY KEY, id TEXT NOT NULL, parent TEXT, writer TEXT NOT NULL, program TEXT NOT NULL);
CREATE TABLE parts(id TEXT NOT NULL, part INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY(id, part));
CREATE TABLE shape(n INTEGER PRIMARY KEY, link TEXT NOT NULL);
"""


def drawn(draw):
    """What a transaction does besides its link."""
    alive, program = [], []
    for part in range(draw.choice((0, 1, 2, 5, 40))):
        program.append(f"i{part}")
        alive.append(part)
        if draw.random() < 0.4:
            program.append(f"u{draw.choice(alive)}")
        if draw.random() < 0.2:
            program.append(f"d{alive.pop(draw.randrange(len(alive)))}")
    return program + (["s"] if draw.random() < 0.2 else [])


def statements(link, writer, program):
    yield (f"INSERT INTO links(id, parent, writer, program) SELECT '{link}', (SELECT id FROM links ORDER BY place DESC LIMIT 1), "
           f"'{writer}', '{' '.join(program)}'")
    for step in program:
        at = f"id = '{link}' AND part = {step[1:]}"
        if step[0] == "i":
            yield f"INSERT INTO parts VALUES ('{link}', {step[1:]}, '{link}:{step[1:]}')"
        elif step[0] == "u":
            yield f"UPDATE parts SET body = body || '+' WHERE {at}"
        elif step[0] == "d":
            yield f"DELETE FROM parts WHERE {at}"
        else:
            yield f"INSERT INTO shape(link) VALUES ('{link}')"


class Chain:
    def __init__(self, database, name, seed, role, log, binary):
        self.database, self.name, self.role, self.binary = database, name, role, binary
        self.draw, self.log = random.Random(seed), os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        self.connection = sqlite3.connect(database, timeout=30, isolation_level=None)

    def note(self, word, link):
        os.write(self.log, f"{word} {link}\n".encode())

    def write(self):
        link = f"{self.draw.getrandbits(64):016x}"
        program = [] if self.role == "loose" else drawn(self.draw)
        is_kept = self.role in ("loose", "command") or self.draw.random() > 0.1
        self.note("begun", link)
        work = list(statements(link, self.name, program))
        if self.role == "command":
            done = subprocess.run([self.binary, "write", self.database, "--author", self.name, ";".join(work)],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            if done.returncode not in (0, 1):
                raise RuntimeError(done.stderr.decode(errors="replace"))
            return
        if self.role == "loose":
            self.connection.execute(work[0])
            return
        self.connection.execute("BEGIN IMMEDIATE")
        if self.role == "tagged":
            self.connection.execute("INSERT INTO history_author(name) VALUES (?)", (self.name,))
        for statement in work:
            self.connection.execute(statement)
        if self.role == "tagged":
            self.connection.execute("DELETE FROM history_author")
        self.connection.execute("COMMIT" if is_kept else "ROLLBACK")
        if not is_kept:
            self.note("rolled-back", link)


def main():
    going = True

    def stop(*_):
        nonlocal going
        going = False

    signal.signal(signal.SIGTERM, stop)
    chain = Chain(*sys.argv[1:6], sys.argv[6] if len(sys.argv) > 6 else None)
    print("ready", flush=True)
    while going:
        chain.write()
        time.sleep(chain.draw.random() * 0.03)
    chain.connection.close()


if __name__ == "__main__":
    main()
