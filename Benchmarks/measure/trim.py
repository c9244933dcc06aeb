"""What trimming a long history costs a writer that goes on writing."""
import json
import os
import sqlite3
import subprocess
import sys
import time

from . import common, throughput

# One-row transactions, a millisecond apart, and how long each took, until it is told to stop.
WRITER = """
import select, sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA synchronous = NORMAL")
number = int(sys.argv[2])
while not select.select([sys.stdin], [], [], 0.001)[0]:
    number += 1
    begin = time.perf_counter()
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("INSERT INTO tasks VALUES(?, 'beside', 1, 1.5)", (number,))
    connection.execute("COMMIT")
    print(time.perf_counter() - begin)
"""


def beside(path, number, body):
    """How long, in milliseconds, each transaction of a writer took while a body ran."""
    writer = subprocess.Popen([sys.executable, "-c", WRITER, path, str(number)], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)
    time.sleep(0.2)
    begin = time.perf_counter()
    body()
    took = time.perf_counter() - begin
    output = writer.communicate("stop\n")[0]
    return [float(line) * 1000 for line in output.splitlines()], took


def figure(values):
    return (f"p50 {common.median(values):.3f}, p99 {common.quantile(values, 0.99):.2f}, max {max(values):.1f} ms "
            f"({len(values):,} transactions)")


def pages(path):
    connection = sqlite3.connect(path)
    found = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count")]
    connection.close()
    return found


def measure(bench, quick):
    count = 100_000 if quick else 1_000_000
    path = throughput.fill(bench, "trim.db", count)
    head = json.loads(bench.run("status", path, "--json"))["head"]
    alone, _ = beside(path, 10_000_000, lambda: time.sleep(2))
    bench.add("a writer alone, one-row transactions 1 ms apart", "", figure(alone))
    before, _ = pages(path)
    trimmed, took = beside(path, 20_000_000, lambda: bench.run("trim", path, "--through", head))
    p99, highest = common.quantile(trimmed, 0.99), max(trimmed)
    bench.add(f"the same while {count:,} changes are trimmed", "p99 ≤ 2 ms, max ≤ 10 ms", figure(trimmed),
              p99 <= 2 and highest <= 10)
    bench.add("trim takes", "", f"{took:.1f} s, {count / took:,.0f} changes/s")
    after, free = pages(path)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany("INSERT INTO tasks VALUES(?, 'again', 1, 1.5)",
                           ((30_000_000 + number,) for number in range(count // 10)))
    connection.execute("COMMIT")
    connection.close()
    again, _ = pages(path)
    bench.add("freed pages are used again", "file does not grow",
              f"{before:,} pages before, {after:,} after ({free:,} free), {again:,} after {count // 10:,} more rows",
              again == after)
    size = os.path.getsize(path + "-wal") if os.path.exists(path + "-wal") else 0
    bench.add("write-ahead log at its largest", "", f"{size / 1e6:.1f} MB")
    common.remove(path)
