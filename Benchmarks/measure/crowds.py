"""What many observers in one program cost: telling them, running their queries again, delivering to readers."""
import subprocess

from . import common

SCHEMA = """
CREATE TABLE tasks(id INTEGER PRIMARY KEY, title TEXT, priority INTEGER, score REAL);
CREATE TABLE settings(name TEXT PRIMARY KEY, value);
CREATE TABLE visits(at INTEGER);
INSERT INTO settings VALUES('place', 0);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
INSERT INTO tasks SELECT i, 'title ' || i, i % 5, i / 8.0 FROM n;
"""


def database(bench, name):
    return bench.database(name, SCHEMA, ["tasks", "settings", "visits"])


def observe(bench, mode, *files, **options):
    """The lines that the embedding program printed."""
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    return subprocess.run([bench.observer, mode, *words, *files], check=True, capture_output=True,
                          text=True).stdout.splitlines()


def numbers(line):
    return [int(word) for word in line.split()]


def writing(bench, count):
    path, bare = database(bench, "writing.db"), database(bench, "bare.db")
    for observers in (0, 1, 100):
        *lines, told = observe(bench, "writing", path, bare, observers=observers, count=count)
        told = int(told.split()[1])
        times = [numbers(line) for line in lines]
        own, alone = [sorted(column) for column in zip(*times)]
        bench.add(f"store.write until {observers} observers are told, and StoreWriter.write", "all told",
                  f"p50 {common.median(own) / 1000:.0f} and {common.median(alone) / 1000:.0f} µs "
                  f"({common.spread([a / b for a, b in times])}), p99 {common.quantile(own, 0.99) / 1000:.0f} and "
                  f"{common.quantile(alone, 0.99) / 1000:.0f} µs", told == observers)


def shares(bench, commits):
    """How many of an application's commits ran a query again, and how many changed its rows."""
    for line in observe(bench, "shares", database(bench, "shares.db"), commits=commits):
        name, runs, changes = line.split(",")
        bench.add(f"{commits:,} mixed commits: a query of {name} runs", "when its rows change",
                  f"{int(runs) / commits:.1%} of them; {int(changes) / commits:.1%} changed its rows", runs == changes)


def refetch(bench, rounds):
    for rows, times in ((100, 20), (10_000, 1)):
        path = database(bench, "refetch.db")
        lines = observe(bench, "refetch", path, rows=rows, rounds=rounds * times)
        times = [numbers(line) for line in lines][2:]
        again = common.median([a - b for a, b, _ in times]) / 1000
        avoided, query = (common.median([round[place] for round in times]) / 1000 for place in (1, 2))
        bench.add(f"a query of {rows:,} rows runs again after a commit", "",
                  f"{again:,.0f} µs of processor, {again / rows:.2f} a row; the query alone {query:,.0f}; a commit "
                  f"that it does not read {avoided:,.0f}")


def audience(bench, commits):
    path = database(bench, "audience.db")
    for interest, label in (("same", "the same interest"), ("each", "a row each")):
        base = None
        for observers in (1, 100, 1000):
            found = [numbers(observe(bench, "audience", path, observers=observers, interest=interest,
                                     commits=commits)[0]) for _ in range(3)]
            used = min(time for _, time, _ in found) / 1000
            base = base or used
            # The commit that warms up is told to the first observer only.
            told = interest == "each" or all(events == commits * observers + 1 for _, _, events in found)
            figure = f"{used:,.0f} µs of processor a commit, its writing and reading too"
            if observers > 1:
                figure += (f"; {max(0, used - base) / observers * 1000:,.0f} ns an observer, "
                           f"{found[0][0] / 1024:.1f} KiB each")
            bench.add(f"{observers:,} observers with {label}", "all told", figure, told)


def readers(bench, commits):
    path = database(bench, "readers.db")
    for count in (1, 200, 1000):
        found = [numbers(observe(bench, "readers", path, readers=count, commits=commits)[0]) for _ in range(3)]
        used, clock = (min(times) / 1000 for times in list(zip(*found))[1:])
        figure = f"{used / count:,.1f} µs of processor a delivery, all had it after {clock:,.0f} µs"
        if count > 1:
            figure += f", {found[0][0] / 1024:.1f} KiB a reader"
        bench.add(f"{count:,} readers of transactions wait, each commit reaches all", "", figure)


def measure(bench, quick):
    writing(bench, 500 if quick else 2000)
    shares(bench, 1000)
    refetch(bench, 20 if quick else 60)
    audience(bench, 300 if quick else 1000)
    readers(bench, 10 if quick else 40)
