"""How often a writer without a busy timeout meets the lock of `serve` while a backlog is trimmed."""
import json
import os
import sqlite3
import subprocess
import sys
import time

from . import common, throughput

# One-row transactions with a pause between them, refused at once when somebody has the lock, until told to stop.
WRITER = """
import json, select, sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=0)
connection.execute("PRAGMA synchronous = NORMAL")
pause, number = float(sys.argv[2]), 10_000_000
tries = refused = meetings = 0
since, longest = None, 0
while tries % 16 or not select.select([sys.stdin], [], [], 0)[0]:
    tries += 1
    begin = time.perf_counter()
    try:
        connection.execute("INSERT INTO tasks VALUES(?, 'beside', 1, 1.5)", (number,))
    except sqlite3.OperationalError:
        refused += 1
        since = since or begin
    else:
        number += 1
        if since:
            meetings += 1
            longest = max(longest, time.perf_counter() - since)
            since = None
    if pause:
        time.sleep(pause)
print(json.dumps([number - 10_000_000, refused, meetings, longest * 1000]))
"""


def oldest(path):
    connection = sqlite3.connect(path, timeout=5)
    found = connection.execute("SELECT min(sequence) FROM _history_change").fetchone()[0]
    connection.close()
    return found


def beside(bench, path, pause, count):
    """What a writer met while `serve` trimmed so many changes, and how long that took; None without `serve`."""
    server = subprocess.Popen([bench.binary, "serve", path, "--socket", path + ".socket", "--keep", "1s"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    writer = subprocess.Popen([sys.executable, "-c", WRITER, path, str(pause)], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)
    begin = time.perf_counter()
    while server.poll() is None and oldest(path) <= count and time.perf_counter() - begin < 600:
        time.sleep(0.5)
    took = time.perf_counter() - begin
    output = writer.communicate("stop\n")[0]
    is_there = server.poll() is None
    if is_there:
        server.terminate()
        server.wait()
    return (json.loads(output), took) if is_there else None


def measure(bench, quick):
    count = 100_000 if quick else 1_000_000
    for pause, words in ((0.001, "1 ms apart"), (0, "without a pause")):
        path = throughput.fill(bench, "retention.db", count)
        found = beside(bench, path, pause, count)
        common.remove(path)
        if found is None:
            print("retention: this program has no serve", file=sys.stderr)
            return
        (committed, refused, meetings, longest), took = found
        bench.add(f"a writer without a busy timeout, one-row transactions {words}, while {count:,} changes are trimmed",
                  "", f"{meetings} of {committed:,} transactions met a lock ({meetings / max(committed, 1):.4%}; "
                  f"{refused:,} attempts refused), for {longest:.1f} ms at most; trimmed in {took:.0f} s")
