"""How fast a store follows another one."""
import os
import sqlite3
import subprocess

from . import common

TABLE = "CREATE TABLE tasks(id INTEGER PRIMARY KEY, title TEXT, priority INTEGER, done INTEGER);"


def fill(bench, transactions):
    """A store with tagged transactions that change one column of a thousand rows each."""
    path = bench.database("apply-source.db", TABLE, ["tasks"])
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA synchronous = OFF")
    statements = ["WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 10000) "
                  "INSERT INTO tasks SELECT i, 'title ' || i, i % 5, 0 FROM r"]
    statements += [f"UPDATE tasks SET done = done + 1 WHERE id BETWEEN {first} AND {first + 999}"
                   for first in (number % 10 * 1000 + 1 for number in range(transactions))]
    for statement in statements:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO history_author(name) VALUES('benchmark')")
        connection.execute(statement)
        connection.execute("DELETE FROM history_author")
        connection.execute("COMMIT")
    connection.close()
    return path


def measure(bench, quick):
    transactions = 50 if quick else 300
    rounds = 3 if quick else 5
    source = fill(bench, transactions)
    lines = source + ".jsonl"
    with open(lines, "wb") as output:
        subprocess.run([bench.binary, "stream", source, "--since", "oldest", "--no-follow"], stdout=output, check=True)
    changes = transactions * 1000 + 10_000
    for what, road in (("from the lines of its stream", []), ("from its file", ["--from", source, "--no-follow"])):
        rates, peak = [], 0
        for number in range(rounds):
            target = bench.database(f"apply-{len(road)}-{number}.db", TABLE, ["tasks"])
            with open(lines, "rb") as source_lines:
                process = subprocess.Popen([bench.binary, "apply", target, *road], stdin=source_lines)
                _, status, usage = os.wait4(process.pid, 0)
            assert status == 0
            rates.append(changes / (usage.ru_utime + usage.ru_stime))
            peak = max(peak, usage.ru_maxrss)
        middle = common.median(rates)
        bench.add(f"apply of {changes:,} changes of one column, 1,000 a transaction, {what}",
                  "≥ 150,000 changes/s of one core",
                  f"{middle:,.0f} ({min(rates):,.0f} to {max(rates):,.0f}), {peak / 1024:.1f} MB at most", middle >= 150_000)
    os.remove(lines)
