"""How long after COMMIT has returned elsewhere the event can be read from the stream's pipe."""
import json
import os
import subprocess
import sys
import time

from . import common

TABLE = "CREATE TABLE tasks(id INTEGER PRIMARY KEY, title TEXT, priority INTEGER, score REAL);"

# What a foreign writer does: no library of ours, random pauses, and when each COMMIT had returned.
WRITER = """
import random, sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA synchronous = " + sys.argv[2])
for number in range(1, int(sys.argv[3]) + 1):
    time.sleep(random.uniform(0.002, 0.03))
    begin = time.monotonic_ns()
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("INSERT INTO tasks VALUES(?, 'foreign', 1, 1.5)", (number,))
    connection.execute("COMMIT")
    end = time.monotonic_ns()
    print(number, end, end - begin)
"""
# What the best-known peers do: look at data_version each millisecond.
POLLER = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
count, version, seen = int(sys.argv[2]), None, 0
deadline = time.monotonic() + 60
print("ready", flush=True)
while seen < count and time.monotonic() < deadline:
    now = connection.execute("PRAGMA data_version").fetchone()[0]
    if now != version:
        version = now
        head = connection.execute("SELECT max(id) FROM tasks").fetchone()[0] or 0
        at = time.monotonic_ns()
        for number in range(seen + 1, head + 1):
            print(number, at)
        seen = head
    time.sleep(0.001)
"""


def times(text):
    return {int(line.split()[0]): int(line.split()[1]) for line in text.splitlines() if line[:1].isdigit()}


def follow(bench, path, count, writer, polls=True):
    """When each insert was readable on the pipe, was seen by the poller, and had been committed."""
    stream = subprocess.Popen([bench.binary, "stream", path], stdout=subprocess.PIPE)
    poller = None
    seen = {}
    try:
        os.read(stream.stdout.fileno(), 1 << 16)  # hello
        if polls:
            poller = subprocess.Popen([sys.executable, "-c", POLLER, path, str(count)], stdout=subprocess.PIPE,
                                      text=True)
            poller.stdout.readline()
        time.sleep(0.2)
        busy = processor(stream.pid)
        process = subprocess.Popen(writer, stdout=subprocess.PIPE, text=True)
        rest = b""
        while len(seen) < count:
            chunk = os.read(stream.stdout.fileno(), 1 << 16)
            at = time.monotonic_ns()
            if not chunk:
                break
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                if line.startswith(b'{"kind":"change"'):
                    seen[json.loads(line)["key"]["id"]] = at
        committed = process.communicate(timeout=60)[0]
        bench.used = (processor(stream.pid) - busy) / count / 1000
        polled = times(poller.communicate(timeout=60)[0]) if poller else {}
    finally:
        stream.terminate()
        stream.wait()
        if poller and poller.poll() is None:
            poller.kill()
    return seen, polled, committed


def processor(pid):
    """Nanoseconds of processor time that a process has used."""
    return int(open(f"/proc/{pid}/schedstat").read().split()[0])


def durations(text):
    return [int(line.split()[2]) / 1000 for line in text.splitlines()]


def delays(seen, committed):
    return [(seen[number] - committed[number]) / 1000 for number in committed if number in seen]


def figure(values):
    return (f"p50 {common.median(values):.0f} µs, p99 {common.quantile(values, 0.99):.0f} µs, "
            f"max {max(values):.0f} µs")


def foreign(bench, synchronous, count, journal="wal"):
    path = bench.database(f"wake-{synchronous}-{journal}.db", TABLE, ["tasks"], journal)
    seen, polled, committed = follow(
        bench, path, count, [sys.executable, "-c", WRITER, path, synchronous, str(count)])
    watched = durations(committed)
    committed = times(committed)
    ours, theirs = delays(seen, committed), delays(polled, committed)
    lost = count - len(seen)
    what = f"wake, foreign writer, {journal.upper()} {synchronous}"
    isGood = common.median(ours) <= 100 and common.quantile(ours, 0.99) <= 500 and lost == 0
    bench.add(what, "p50 ≤ 100 µs, p99 ≤ 500 µs, none lost" if journal == "wal" else "none lost",
              f"{figure(ours)}, {lost} of {count} lost", isGood if journal == "wal" else lost == 0)
    factor = common.median(theirs) / max(1, common.median(ours))
    bench.add("… beside a 1 ms poller of data_version", "≥ 5x faster" if journal == "wal" else "",
              f"{figure(theirs)}; {factor:.1f}x", factor >= 5 if journal == "wal" else None)
    alone = bench.database("wake-alone.db", TABLE, ["tasks"], journal)
    unwatched = durations(subprocess.run([sys.executable, "-c", WRITER, alone, synchronous, str(count // 2)],
                                         check=True, capture_output=True, text=True).stdout)
    bench.add("… processor time of the stream; the writer's transaction watched and not", "",
              f"{bench.used:.0f} µs a commit; p50 {common.median(watched):.0f} and {common.median(unwatched):.0f} µs")


def relay(count):
    """What two wake-ups of processes cost here and now: a byte from a writer through `cat` to a reader."""
    cat = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    code = ("import os, random, sys, time\n"
            "for _ in range(int(sys.argv[1])):\n"
            "    time.sleep(random.uniform(0.002, 0.02)); os.write(1, b'%020d' % time.monotonic_ns())")
    writer = subprocess.Popen([sys.executable, "-c", code, str(count)], stdout=cat.stdin)
    found = []
    for _ in range(count):
        sent = int(os.read(cat.stdout.fileno(), 20))
        found.append((time.monotonic_ns() - sent) / 1000)
    writer.wait()
    cat.stdin.close()
    cat.wait()
    return found


def library(bench, count):
    path = bench.database("wake-library.db", TABLE, ["tasks"])
    seen, _, printed = follow(
        bench, path, count, [bench.writer, "writer", path, "--count", str(count)], polls=False)
    committed = times(printed)
    took = {int(line.split()[0]): int(line.split()[2]) / 1000 for line in printed.splitlines()}
    after = delays(seen, committed)
    before = [delay + took[number] for delay, number in zip(after, (n for n in committed if n in seen))]
    lost = count - len(seen)
    bench.add("wake, library writer, after write() returned", "p50 ≤ 60 µs, none lost",
              f"{figure(after)}, {lost} of {count} lost", common.median(after) <= 60 and lost == 0)
    bench.add("… after write() was called", "", figure(before))


def measure(bench, quick):
    count = 150 if quick else 400
    bench.add("floor: a byte from a writer through `cat` to a reader", "", figure(relay(200)))
    foreign(bench, "NORMAL", count)
    foreign(bench, "FULL", count)
    foreign(bench, "FULL", count // 2, journal="delete")
    library(bench, count)
