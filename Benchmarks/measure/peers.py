"""The same rows captured the way others do it.

Three peers: what most trigger-based packages write (JSON built in the trigger, AUTOINCREMENT, a text timestamp), as SQL
of ours; a queue's publish (a second INSERT by the application itself, of JSON, into an indexed AUTOINCREMENT table), as
SQL of ours; and sqlite-history-json from the package index, unmodified, when it can be had.
"""
import importlib
import sqlite3
import subprocess
import sys

from . import capture, common

JSON_TRIGGERS = """
CREATE TABLE audit(
  id INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT, table_name TEXT, operation TEXT, key INTEGER, old TEXT, new TEXT);
CREATE TRIGGER audit_insert AFTER INSERT ON tasks BEGIN
  INSERT INTO audit(at, table_name, operation, key, new) VALUES(strftime('%Y-%m-%d %H:%M:%f', 'now'), 'tasks', 'insert',
    NEW.id, json_object('id', NEW.id, 'title', NEW.title, 'priority', NEW.priority, 'score', NEW.score));
END;
CREATE TRIGGER audit_update AFTER UPDATE ON tasks BEGIN
  INSERT INTO audit(at, table_name, operation, key, old, new)
  VALUES(strftime('%Y-%m-%d %H:%M:%f', 'now'), 'tasks', 'update', OLD.id,
    json_object('id', OLD.id, 'title', OLD.title, 'priority', OLD.priority, 'score', OLD.score),
    json_object('id', NEW.id, 'title', NEW.title, 'priority', NEW.priority, 'score', NEW.score));
END;
"""
QUEUE = """
CREATE TABLE outbox(id INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT NOT NULL, payload TEXT NOT NULL,
  created_at INTEGER NOT NULL DEFAULT (unixepoch()));
CREATE INDEX outbox_by_topic ON outbox(topic, id);
"""
PUBLISH = """INSERT INTO outbox(topic, payload)
VALUES('tasks', json_object('id', ?1, 'title', ?2, 'priority', ?1 % 5, 'score', ?3))"""


def package(bench, path):
    """Tracks with sqlite-history-json, installed into the scratch folder; says why not otherwise."""
    folder = bench.path("packages")
    done = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--target", folder, "sqlite-history-json"],
                          capture_output=True, text=True)
    sys.path.insert(0, folder)
    try:
        module = importlib.import_module("sqlite_history_json")
    except ImportError:
        return (done.stderr.strip().splitlines() or ["not installed"])[-1]
    finally:
        sys.path.remove(folder)
    connection = sqlite3.connect(path)
    module.enable_tracking(connection, "tasks")
    connection.commit()
    connection.close()
    return None


def measure(bench, quick):
    rounds = 5 if quick else 7
    fill = capture.FILL.format(3000) + ";"
    for kind, schema in (("empty", common.TASKS), ("filled", common.TASKS + fill)):
        paths = {
            "none": bench.database(f"peer-none-{kind}.db", schema),
            "historywatch": bench.database(f"peer-ours-{kind}.db", schema, ["tasks"]),
            "JSON triggers": bench.database(f"peer-json-{kind}.db", schema + JSON_TRIGGERS),
            "sqlite-history-json": bench.database(f"peer-package-{kind}.db", schema),
        }
        problem = package(bench, paths["sqlite-history-json"])
        if problem:
            del paths["sqlite-history-json"]
            bench.add("sqlite-history-json", "", f"skipped: {problem}")
        if kind == "empty":
            workloads = {
                "one-row INSERT a transaction": {"mode": "commits", "sql": capture.INSERT, "count": 3000},
                "50,000 INSERTs in a transaction": {"mode": "batch", "sql": capture.INSERT, "count": 50_000},
            }
        else:
            workloads = {"one-row UPDATE a transaction": {
                "mode": "commits", "sql": "UPDATE tasks SET title = ?2 || 'x' WHERE id = ?1", "count": 3000}}
        for what, workload in workloads.items():
            times = bench.alternate(paths, rounds, **workload)
            ours = common.ratios(times, "historywatch", "none")
            for name in list(paths)[2:]:
                theirs = common.ratios(times, name, "none")
                bench.add(f"{what}: historywatch and {name}", "faster",
                          f"{common.spread(ours)}, {common.spread(theirs)}",
                          common.median(ours) < common.median(theirs))
    queue(bench, rounds)


def queue(bench, rounds):
    paths = {"historywatch": bench.database("queue-ours.db", track=["tasks"]),
             "queue": bench.database("queue-theirs.db", common.TASKS + QUEUE)}
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(bench.workload(paths["historywatch"], "commits", capture.INSERT, 3000, also="SELECT ?1"))
        theirs.append(bench.workload(paths["queue"], "commits", capture.INSERT, 3000, also=PUBLISH))
    bench.add("one-row INSERT a transaction: historywatch and a queue's publish", "faster",
              f"{common.median(ours) / 3e6:.2f} and {common.median(theirs) / 3e6:.2f} µs",
              common.median(ours) < common.median(theirs))
