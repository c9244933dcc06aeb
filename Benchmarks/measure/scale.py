"""What must not grow: with a wide neighbour, with many tables, with a long history."""
import json
import os
import subprocess
import time

from . import capture, common, idle, throughput


def wide(bench, rounds):
    columns = ", ".join(f"c{number}" for number in range(199))
    neighbour = f"CREATE TABLE wide(id INTEGER PRIMARY KEY, {columns});"
    paths = {
        "alone": bench.database("alone.db", track=["tasks"]),
        "beside": bench.database("beside.db", common.TASKS + neighbour, ["tasks", "wide"]),
    }
    for what, mode, count in (("one row a transaction", "commits", 3000), ("in one transaction", "batch", 50_000)):
        times = bench.alternate(paths, rounds, mode=mode, sql=capture.INSERT, count=count)
        found = common.ratios(times, "beside", "alone")
        bench.add(f"4 columns beside 200, {what}", "≤ 1.1x of alone", common.spread(found),
                  common.median(found) <= 1.1)


def tables(bench, rounds):
    schema = "".join(common.TASKS.replace("tasks", f"tasks{number}") for number in range(200))
    reach = {"none": None, "keys": None, "changes": 12}
    for name, track in (("none", None), ("keys", ["--capture", "keys"]), ("changes", [])):
        path = bench.database(f"tables-{name}.db", schema, track)
        sql = capture.INSERT.replace("tasks", "tasks77")
        output = subprocess.run([bench.writer, "opening", "--count", str(rounds), "--sql", sql, path], check=True,
                                capture_output=True, text=True).stdout
        found = [int(line) / 1e6 for line in output.splitlines()]
        limit = reach[name]
        bench.add(f"200 tables, capture {name}: open and compile the first INSERT", f"≤ {limit} ms" if limit else "",
                  f"{common.median(found):.2f} ms", common.median(found) <= limit if limit else None)
        if name == "changes":
            found = idle.start(bench, path, rounds)
            bench.add("200 tables: start-up to hello", "≤ 10 ms", f"{common.median(found):.1f} ms",
                      common.median(found) <= 10)


def timed(command, rounds):
    found = []
    for _ in range(rounds):
        begin = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        found.append((time.perf_counter() - begin) * 1000)
    return common.median(found)


def history(bench, rounds, quick):
    """The same questions of a short and of a long history."""
    counts = (1000, 100_000 if quick else 1_000_000)
    paths = [throughput.fill(bench, f"history-{count}.db", count) for count in counts]
    tokens = [json.loads(bench.run("status", path, "--json"))["head"] for path in paths]
    questions = {
        "status": lambda path, token: ["status", path, "--json"],
        "check a token and read what follows it": lambda path, token: ["stream", path, "--since", token, "--no-follow"],
        "find the head": lambda path, token: ["stream", path, "--since", "now", "--no-follow"],
    }
    for what, command in questions.items():
        short, long = (timed([bench.binary, *command(path, token)], rounds) for path, token in zip(paths, tokens))
        bench.add(f"{what}: {counts[0]:,} and {counts[1]:,} changes", "≤ 1.2x", f"{short:.2f} and {long:.2f} ms",
                  long / short <= 1.2)
    for path in paths:
        os.remove(path)


def measure(bench, quick):
    rounds = 5 if quick else 9
    wide(bench, rounds)
    tables(bench, 21)
    history(bench, 15 if quick else 31, quick)
