"""How fast a long history is read, and in how much memory."""
import os
import sqlite3
import subprocess
import time

from . import common

TABLE = "CREATE TABLE tasks(id INTEGER PRIMARY KEY, title TEXT, priority INTEGER, score REAL);"
ROWS = "SELECT sequence, what, at, v0, v1, v2, v3 FROM _history_change"


def fill(bench, name, count, tagged=False):
    """A history of `count` one-row inserts. Tagged ones share a COMMIT, which no reader can tell."""
    path = bench.database(name, TABLE, ["tasks"])
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("BEGIN IMMEDIATE")
    if tagged:
        for number in range(count):
            connection.execute("INSERT INTO history_author(name) VALUES('benchmark')")
            connection.execute("INSERT INTO tasks VALUES(?, 'title ' || ?1, ?1 % 5, ?1 / 8.0)", (number,))
            connection.execute("DELETE FROM history_author")
    else:
        connection.executemany("INSERT INTO tasks VALUES(?, 'title ' || ?1, ?1 % 5, ?1 / 8.0)",
                               ((number,) for number in range(count)))
    connection.execute("COMMIT")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return path


def timed(command, through_pipe):
    """Seconds, seconds of processor, and the highest resident memory in KiB, of the first process."""
    begin = time.perf_counter()
    output = subprocess.PIPE if through_pipe else subprocess.DEVNULL
    process = subprocess.Popen(command, stdout=output)
    cat = None
    if through_pipe:
        cat = subprocess.Popen(["cat"], stdin=process.stdout, stdout=subprocess.DEVNULL)
        process.stdout.close()
    _, status, usage = os.wait4(process.pid, 0)
    if cat:
        cat.wait()
    assert status == 0, command
    return time.perf_counter() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def lines(command):
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    counted = subprocess.run(["wc", "-lc"], stdin=process.stdout, capture_output=True, text=True).stdout
    process.wait()
    return [int(word) for word in counted.split()]


def rate(bench, what, path, count, reach, rounds):
    stream = [bench.binary, "stream", path, "--since", "oldest", "--no-follow"]
    shell = ["sqlite3", "-json", path, ROWS]
    total, size = lines(stream)
    peak = 0
    for through_pipe, label in ((False, "to /dev/null"), (True, "to a pipe")):
        clock, ours, theirs = [], [], []
        for _ in range(rounds):
            seconds, processor, memory = timed(stream, through_pipe)
            peak = max(peak, memory)
            clock.append(total / seconds)
            ours.append(total / processor)
            theirs.append(count / timed(shell, through_pipe)[1])
        middle = common.median(ours)
        bench.add(f"stream of {what} {label}", f"≥ {reach:,} lines/s of one core" if reach else "",
                  f"{middle:,.0f} ({min(ours):,.0f} to {max(ours):,.0f}; {common.median(clock):,.0f} by the clock), "
                  f"{size / total:.0f} bytes a line", middle >= reach if reach else None)
        bench.add("… beside sqlite3 -json of the same rows", "≥ 1.3x" if reach else "",
                  f"{common.median(theirs):,.0f} rows/s of one core; {middle / common.median(theirs):.2f}x",
                  middle / common.median(theirs) >= 1.3 if reach else None)
    return peak


def measure(bench, quick):
    count = 200_000 if quick else 1_000_000
    rounds = 3 if quick else 5
    small = fill(bench, "small.db", count // 10)
    large = fill(bench, "large.db", count)
    all_of = ["--since", "oldest", "--no-follow"]
    low = timed([bench.binary, "stream", small, *all_of], False)[2]
    high = rate(bench, f"{count:,} untagged changes", large, count, 800_000, rounds)
    bench.add(f"memory at most, {count // 10:,} and {count:,} changes", "flat",
              f"{low / 1024:.1f} and {high / 1024:.1f} MB", high - low < 1024)
    found = []
    for rows in (2_000, 200_000):
        connection = sqlite3.connect(large, isolation_level=None)
        connection.executescript(
            f"BEGIN; INSERT INTO history_author(name) VALUES('author{rows}');"
            f"UPDATE tasks SET score = score + 1 WHERE id <= {rows}; DELETE FROM history_author; COMMIT")
        connection.close()
        found.append(timed([bench.binary, "stream", large, *all_of, "--author", f"author{rows}"], True)[2])
    bench.add("memory at most, one tagged transaction of 2,000 and 200,000 updates", "flat",
              f"{found[0] / 1024:.1f} and {found[1] / 1024:.1f} MB", found[1] - found[0] < 1024)
    common.remove(large)
    tagged = fill(bench, "tagged.db", count // 2, tagged=True)
    rate(bench, f"{count // 2:,} tagged transactions of one change", tagged, count // 2, None, 3)
