"""A writer that knows nothing of the program: plain SQL through Python's sqlite3, until it is told to stop or is killed.

    python3 writer.py DATABASE NAME SEED

Each tagged transaction can be recognised as whole: its first change is its row in `ledger`, which says how many rows of
`part` follow, and its last sets the writer's `total`. Untagged ones are single statements of three rows in `loose`. Some
transactions are rolled back; they must never show.
"""
import random
import signal
import sqlite3
import sys
import time

SCHEMA = """
CREATE TABLE ledger(writer TEXT, n INTEGER, parts INTEGER NOT NULL, PRIMARY KEY (writer, n)) WITHOUT ROWID;
CREATE TABLE part(id INTEGER PRIMARY KEY, writer TEXT NOT NULL, n INTEGER NOT NULL, i INTEGER NOT NULL, body, UNIQUE (writer, n, i));
CREATE TABLE total(writer TEXT PRIMARY KEY, n INTEGER NOT NULL);
CREATE TABLE slot(name TEXT PRIMARY KEY, holder TEXT UNIQUE, weight REAL);
CREATE TABLE loose(writer TEXT, n INTEGER, i INTEGER);
"""


def literal(value):
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return "NULL" if value is None else repr(value)


def statements(name, n, draw):
    """The statements of transaction n, between its tag's opening and closing."""
    parts = draw.choice((1, 2, 3, 5, 12, 40))
    made = [f"INSERT INTO ledger VALUES ('{name}', {n}, {parts})"]
    for i in range(parts):
        body = draw.choice((None, draw.random() * 1e6, draw.randrange(-2**63, 2**63), "täxt " * draw.randrange(9), draw.randbytes(20)))
        made.append(f"INSERT INTO part(writer, n, i, body) VALUES ('{name}', {n}, {i}, {literal(body)})")
    if draw.random() < 0.5:
        # Displaces up to two rows.
        made.append(f"INSERT OR REPLACE INTO slot VALUES ('s{draw.randrange(6)}', 'h{draw.randrange(6)}', {n}.5)")
    if draw.random() < 0.3:
        made.append(f"UPDATE part SET body = {n} WHERE writer = '{name}' AND n = {n} AND i % 2")
        made.append(f"DELETE FROM part WHERE writer = '{name}' AND n < {n - 5}")
    made.append(f"INSERT INTO total VALUES ('{name}', {n}) ON CONFLICT (writer) DO UPDATE SET n = excluded.n")
    return made


def run(connection, name, n, draw, pause=time.sleep):
    """One transaction of a random kind."""
    kind = draw.random()
    if kind < 0.15:
        connection.execute("INSERT INTO loose VALUES " + ", ".join(f"('{name}', {n}, {i})" for i in range(3)))
        return
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("INSERT INTO history_author(name, context) VALUES (?, ?)", (name, f"{name}:{n}"))
    for statement in statements(name, n, draw):
        connection.execute(statement)
        if draw.random() < 0.02:
            pause(draw.random() * 0.003)
    connection.execute("DELETE FROM history_author")
    connection.execute("ROLLBACK" if kind < 0.25 else "COMMIT")


def main():
    database, name, seed = sys.argv[1:4]
    draw, going = random.Random(seed), True

    def stop(*_):
        nonlocal going
        going = False

    signal.signal(signal.SIGTERM, stop)
    connection = sqlite3.connect(database, timeout=30, isolation_level=None)
    n = 0
    while going:
        n += 1
        run(connection, name, n, draw)
        time.sleep(draw.random() * 0.004)
    connection.close()


if __name__ == "__main__":
    main()
