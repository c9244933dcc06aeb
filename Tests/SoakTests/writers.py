"""The soak's writers: plain SQL through Python's sqlite3, each in a process of its own, until it is told to stop.

    python3 writers.py DATABASE NAME SEED tagged|untagged|big|impatient FIRST

`tagged` and `impatient` write what the kill test's writer writes, the latter without a busy timeout; `untagged` single
statements of three rows; `big` 20,000 rows in a transaction, tagged and untagged in turns. What is printed at the end: how many
transactions were committed, and how many were refused because somebody else was writing. They are numbered from FIRST on.
"""
import os
import random
import signal
import sqlite3
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "KillTests"))

import writer

SCHEMA = writer.SCHEMA + """
CREATE TABLE bulk(id INTEGER PRIMARY KEY, writer TEXT NOT NULL, n INTEGER NOT NULL, body TEXT);
CREATE TABLE side(id INTEGER PRIMARY KEY, body TEXT);
"""
BULK = 20_000


def loose(connection, name, n, draw):
    connection.execute("INSERT INTO loose VALUES " + ", ".join(f"('{name}', {n}, {i})" for i in range(3)))


def tagged(connection, name, n, draw):
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("INSERT INTO history_author(name, context) VALUES (?, ?)", (name, f"{name}:{n}"))
    for statement in writer.statements(name, n, draw):
        connection.execute(statement)
    connection.execute("DELETE FROM history_author")
    connection.execute("ROLLBACK" if draw.random() < 0.1 else "COMMIT")


def big(connection, name, n, draw):
    is_tagged = n % 3 != 0
    connection.execute("BEGIN IMMEDIATE")
    if is_tagged:
        connection.execute("INSERT INTO history_author(name, context) VALUES (?, ?)", (name, f"{name}:{n}"))
        connection.execute("INSERT INTO ledger VALUES (?, ?, 0)", (name, n))
    if n % 2:
        connection.execute(
            f"WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < {BULK}) "
            "INSERT INTO bulk(writer, n, body) SELECT ?, ?, 'row ' || ? || '.' || i FROM c", (name, n, n))
    else:
        connection.execute("DELETE FROM bulk WHERE writer = ?", (name,))
    if is_tagged:
        connection.execute("DELETE FROM history_author")
    connection.execute("COMMIT")


# What is done, how long it may wait for others, and how long to pause at most, in seconds.
ROLES = {"tagged": (tagged, 30, 0.03), "untagged": (loose, 30, 0.03), "big": (big, 30, 10), "impatient": (tagged, 0, 0.03)}


def main():
    database, name, seed, role, first = sys.argv[1:6]
    draw, going = random.Random(seed), True

    def stop(*_):
        nonlocal going
        going = False

    signal.signal(signal.SIGTERM, stop)
    write, patience, pause = ROLES[role]
    connection = sqlite3.connect(database, timeout=patience, isolation_level=None)
    connection.execute("PRAGMA synchronous = NORMAL")
    n, committed, refused = int(first), 0, 0
    while going:
        n += 1
        try:
            write(connection, name, n, draw)
            committed += 1
        except sqlite3.OperationalError as error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            if "locked" not in str(error) and "busy" not in str(error):
                raise
            refused += 1
        end = time.monotonic() + draw.random() * pause
        while going and time.monotonic() < end:
            time.sleep(min(0.1, max(0, end - time.monotonic())))
    connection.close()
    print(committed, refused)


if __name__ == "__main__":
    main()
