"""What capture costs writers: the same statements on tracked and untracked databases, in turns."""
from . import common

INSERT = "INSERT INTO tasks VALUES(?1, ?2, ?1 % 5, ?3)"
NO_KEY = "INSERT INTO tasks(title, priority, score) VALUES(?2, ?1 % 5, ?3)"
FILL = """
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {0})
INSERT INTO tasks SELECT i, 'title ' || i, i % 5, i / 8.0 FROM n
"""
# The least that any capture by triggers can do: one narrow row for each change.
FLOOR = """
CREATE TABLE floor(sequence INTEGER PRIMARY KEY, what, key);
CREATE TRIGGER floor_insert AFTER INSERT ON tasks BEGIN INSERT INTO floor(what, key) VALUES(1, NEW.id); END;
CREATE TRIGGER floor_update AFTER UPDATE ON tasks BEGIN INSERT INTO floor(what, key) VALUES(2, NEW.id); END;
CREATE TRIGGER floor_delete AFTER DELETE ON tasks BEGIN INSERT INTO floor(what, key) VALUES(3, OLD.id); END;
"""
VARIANTS = {
    "keys": ["tasks", "--capture", "keys"],
    "changes": ["tasks"],
    "keys, no times": ["tasks", "--capture", "keys", "--no-times"],
    "changes, no times": ["tasks", "--no-times"],
}
SOME = ("none", "floor", "keys", "changes")


def databases(bench, filled):
    """A database for each variant, one untracked, and one with the floor; filled before tracking."""
    schema = common.TASKS + (FILL.format(filled) + ";" if filled else "")
    paths = {"none": bench.database(f"capture-{filled}-none.db", schema),
             "floor": bench.database(f"capture-{filled}-floor.db", schema + FLOOR)}
    for name, track in VARIANTS.items():
        paths[name] = bench.database(f"capture-{filled}-{name.replace(', ', '-')}.db", schema, track)
    return paths


def compare(bench, what, paths, rounds, reach, names=None, **workload):
    paths = {name: path for name, path in paths.items() if names is None or name in names}
    times = bench.alternate(paths, rounds, **workload)
    count = workload.get("count", 1)
    base = common.median(times["none"])
    shown = f"{base / count / 1000:.2f} µs a statement" if count > 1 else f"{base / 1e6:.0f} ms"
    bench.add(f"{what}, no capture", "", shown)
    for name in paths:
        if name != "none":
            found, limit = common.ratios(times, name, "none"), reach.get(name)
            bench.add(f"… {name}", f"≤ {limit}x" if limit else "", common.spread(found),
                      common.median(found) <= limit if limit else None)


def measure(bench, quick):
    rounds, commits, rows = (5, 2000, 20_000) if quick else (5, 3000, 100_000)
    empty, filled = databases(bench, 0), databases(bench, commits)
    one = {"keys": 1.3, "changes": 1.4}
    bulk = {"keys": 1.35, "changes": 1.8, "keys, no times": 1.2, "changes, no times": 1.6}

    def each(what, paths, sql, reach=one):
        compare(bench, what + " a transaction", paths, rounds, reach, SOME, mode="commits", sql=sql, count=commits)

    each("one-row INSERT", empty, INSERT)
    each("one-row UPDATE", filled, "UPDATE tasks SET title = ?2 || 'x' WHERE id = ?1")
    each("one-row DELETE", filled, "DELETE FROM tasks WHERE id = ?1")
    each("upsert that updates one row", filled,
         INSERT + " ON CONFLICT(id) DO UPDATE SET score = excluded.score + 1", {})
    each("REPLACE that displaces one row", filled, "REPLACE INTO tasks VALUES(?1, ?2, ?1 % 5, ?3 + 1)", {})
    compare(bench, f"{rows:,} INSERTs in a transaction", empty, rounds, bulk, mode="batch", sql=INSERT, count=rows)
    compare(bench, f"{rows:,} INSERTs without a key", empty, rounds, bulk, mode="batch", sql=NO_KEY, count=rows)
    compare(bench, f"INSERT … SELECT of {rows:,} rows", empty, rounds, bulk, mode="once", sql=FILL.format(rows))
    compare(bench, "compiling an INSERT", empty, rounds, {}, SOME, mode="prepare", sql=INSERT, count=2000)
    compare(bench, "compiling and running literal INSERTs", empty, rounds, {}, SOME, mode="compile", sql=INSERT,
            count=5000)
