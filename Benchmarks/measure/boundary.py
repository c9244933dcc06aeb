"""What the store boundary costs: a client's check, and the memory of migrating a large store."""
import os
import sqlite3
import statistics
import subprocess
import time

from . import common

PLAN = """
ALTER TABLE tasks ADD COLUMN due TEXT;
UPDATE tasks SET due = 'monday' WHERE priority = 1;
CREATE INDEX tasks_by_due ON tasks(due);
"""


def plan(bench):
    folder = bench.path("plan")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "0001_due.sql"), "w") as file:
        file.write(PLAN)
    return folder


def check(bench):
    path = bench.database("ready.db", track=["tasks"])
    bench.run("migrate", path, "--plan", plan(bench))
    output = subprocess.run([bench.observer, "ready", path, "--rounds", "2000"], check=True, capture_output=True,
                            text=True).stdout
    marker, whole = (statistics.median(column) / 1000 for column in zip(*(map(int, line.split())
                                                                        for line in output.splitlines())))
    bench.add("a client's check: the marker alone", "< 100 µs", f"{marker:.0f} µs", marker < 100)
    bench.add("a client's check: the marker and the store", "", f"{whole:.0f} µs", None)


def fill(path, megabytes):
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA synchronous = OFF")
    number = 0
    while os.path.getsize(path) < megabytes * 1_000_000:
        with connection:
            connection.executemany("INSERT INTO tasks(title, priority, score) VALUES(?, ?, 0.5)",
                                   ((os.urandom(400).hex(), (number + row) % 4) for row in range(20_000)))
        number += 20_000
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return number


def migrate(bench, megabytes, track, *options):
    path = bench.database("large.db", schema="CREATE TABLE tasks(id INTEGER PRIMARY KEY, title, priority, score)",
                          track=track)
    rows = fill(path, megabytes)
    begin = time.perf_counter()
    process = subprocess.Popen([bench.binary, "migrate", path, "--plan", plan(bench), *options],
                               stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    took = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"boundary: migrate ended with {process.returncode}")
    high = usage.ru_maxrss / 1024
    words = "tracked with keys" if track else "untracked"
    words += ", side by side" if options else ""
    bench.add(f"migrating {megabytes:,} MB, {rows:,} rows, {words}: highest resident", "< 64 MB",
              f"{high:.0f} MB, in {took:.0f} s", high < 64)
    for name in os.listdir(bench.folder):
        if name.startswith("large.db"):
            common.remove(bench.path(name))


def measure(bench, quick):
    megabytes = 100 if quick else 1000
    check(bench)
    migrate(bench, megabytes, None)
    migrate(bench, megabytes, ["tasks", "--capture", "keys"])
    migrate(bench, megabytes, None, "--side-by-side")
