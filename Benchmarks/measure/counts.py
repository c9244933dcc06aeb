"""Counts that do not depend on the machine, and so have limits: rows, pages, system calls, instructions.

Instructions are those of this machine's libraries, so their limits are a quarter above them; rows and pages are exact.
Whoever makes something cheaper lowers the limit.
"""
import os
import re
import shutil
import sqlite3
import subprocess

from . import capture, common, throughput

# Rows written, pages logged.
A_ROW = {"none": (1, 3.05), "keys": (2, 4.05), "changes": (2, 4.1), "keys, no times": (2, 4.05),
         "changes, no times": (2, 4.05)}
SYSTEM_CALLS = {"none": (13.6,), "changes": (15.9,)}
INSTRUCTIONS = {
    "stream of a long history": (15_500,),
    "one-row INSERT a transaction, capture keys": (78_000,),
    "one-row INSERT a transaction, capture changes": (81_000,),
}


def rows_and_pages(bench):
    for name, track in {"none": None, **capture.VARIANTS}.items():
        path = bench.database("counts.db", track=track)
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute(capture.INSERT.replace("?1", "1").replace("?2", "'a'").replace("?3", "1.5"))
        rows, size = connection.total_changes, os.path.getsize(path + "-wal")
        for number in range(2, 102):
            connection.execute(f"INSERT INTO tasks VALUES({number}, 'title', 1, 1.5)")
        rows = (connection.total_changes - rows) / 100
        frames = (os.path.getsize(path + "-wal") - size) / 100 / (connection.execute(
            "PRAGMA page_size").fetchone()[0] + 24)
        connection.close()
        bench.limited(f"one-row INSERT, capture {name}", (rows, frames), A_ROW[name], lambda values: (
            f"{values[0]:.0f} rows written, {values[1]:.2f} pages logged a commit"))


def system_calls(bench):
    if not shutil.which("strace"):
        return bench.add("system calls a commit", "", "skipped: no strace")
    for name, track in (("none", None), ("changes", ["tasks"])):
        path = bench.database("calls.db", track=track)
        found = []
        for count in (100, 1100):
            copy = bench.path("calls-copy.db")
            common.remove(copy)
            shutil.copyfile(path, copy)
            log = bench.path("strace.txt")
            subprocess.run(["strace", "-f", "-c", "-o", log, bench.writer, "workload", "--mode", "commits", "--sql",
                            capture.INSERT, "--count", str(count), "--synchronous", "FULL", copy], check=True,
                           capture_output=True)
            calls = {line.split()[-1]: int(line.split()[3]) for line in open(log) if re.match(r"\s*\d+\.\d+ ", line)}
            found.append(calls)
        calls = {call: (count - found[0].get(call, 0)) / 1000 for call, count in found[1].items()}
        total = calls.pop("total", 0)
        most = sorted(calls.items(), key=lambda item: -item[1])[:4]
        told = ", ".join(f"{call} {count:.1f}" for call, count in most)
        bench.limited(f"system calls a commit, FULL, capture {name} ({told})", (total,), SYSTEM_CALLS[name],
                      lambda values: f"{values[0]:.1f}")


def instructions(bench, what, unit, commands, count):
    """The difference between a long and a short run, divided by how much longer it is."""
    if not shutil.which("valgrind"):
        return bench.add(what, "", "skipped: no valgrind")
    found = []
    for command in commands:
        error = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command], check=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True).stderr
        found.append(int(re.search(r"refs:\s*([\d,]+)", error).group(1).replace(",", "")))
    text = lambda values: f"{values[0]:,.0f} instructions {unit}"
    value = ((found[1] - found[0]) / count,)
    if what in INSTRUCTIONS:
        bench.limited(what, value, INSTRUCTIONS[what], text)
    else:
        bench.add(what, "", text(value))


def measure(bench, quick):
    rows_and_pages(bench)
    system_calls(bench)
    paths = [throughput.fill(bench, f"instructions-{count}.db", count) for count in (1000, 11_000)]
    instructions(bench, "stream of a long history", "a change",
                 [[bench.binary, "stream", path, "--since", "oldest", "--no-follow"] for path in paths], 10_000)
    instructions(bench, "sqlite3 -json of the same rows", "a row",
                 [["sqlite3", "-json", path, throughput.ROWS] for path in paths], 10_000)
    for name, track in (("none", None), ("keys", capture.VARIANTS["keys"]), ("changes", ["tasks"])):
        path = bench.database("instructions.db", track=track)
        commands = []
        for count in (200, 1200):
            copy = bench.path(f"instructions-{name}-{count}.db")
            shutil.copyfile(path, copy)
            commands.append([bench.writer, "workload", "--mode", "commits", "--sql", capture.INSERT, "--count",
                             str(count), copy])
        instructions(bench, f"one-row INSERT a transaction, capture {name}", "a row", commands, 1000)
