#!/usr/bin/env python3
"""The kill test of `apply`: kill -9 of the follower, of the stream and of the writer, and two stores still end alike.

    python3 Tests/KillTests/sync.py --binary .build/release/historywatch [--rounds 300] [--seed N] [--keep]

Each round has two stores. One is written to, by transactions with and without an author; the other follows it, by `apply --from`,
by a pipe from `stream` that begins at the position that `apply` prints, or by one that begins at the oldest. Whoever is the
victim is killed at a random moment, many times. When all is quiet again the follower is brought to the head once more, and

- both have the same rows, value by value, with their storage classes;
- every tagged transaction of the source is in the follower's history once, whole, in order, and under its author;
- the changes of both histories are the same in the same order;
- integrity_check is ok, and `check` finds nothing.

The last line is `N passed, N failed`.
"""
import argparse
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import traceback

SCHEMA = """
    CREATE TABLE part(id INTEGER PRIMARY KEY, name TEXT UNIQUE, value);
    CREATE TABLE slot(room TEXT, place INTEGER, what, PRIMARY KEY(room, place)) WITHOUT ROWID;
    CREATE TABLE loose(a, b);
"""
TABLES = {"part": "id, typeof(id), name, value, typeof(value)", "slot": "room, place, what, typeof(what)",
          "loose": "rowid, a, typeof(a), b, typeof(b)"}


class Wrong(Exception):
    pass


def write(path, rng, stop, seed, sizes=(1, 1, 2, 5, 40)):
    """Writes to the source until it is told to stop; what it does is drawn."""
    connection = sqlite3.connect(path, isolation_level=None, timeout=30)
    number = 0
    while not stop.is_set():
        number += 1
        connection.execute("BEGIN IMMEDIATE")
        tagged = rng.random() < 0.7
        if tagged:
            connection.execute("INSERT INTO history_author VALUES(?, ?)", (rng.choice("abc"), str(number)))
        for _ in range(rng.choice(sizes)):
            key = rng.randrange(40)
            value = rng.choice((None, rng.randrange(-2**63, 2**63), rng.random(), "ä\n%d" % number, os.urandom(5), 1e308 * 10))
            statement, arguments = rng.choice((
                ("INSERT OR REPLACE INTO part VALUES(?, ?, ?)", (key, "n%d" % rng.randrange(60), value)),
                ("UPDATE part SET value = ? WHERE id = ?", (value, key)),
                ("UPDATE OR REPLACE part SET id = ? WHERE id = ?", (rng.randrange(40), key)),
                ("DELETE FROM part WHERE id = ?", (key,)),
                ("INSERT OR REPLACE INTO slot VALUES(?, ?, ?)", ("r%d" % (key % 3), key, value)),
                ("DELETE FROM slot WHERE place = ?", (key,)),
                ("INSERT INTO loose VALUES(?, ?)", (key, value)),
                ("UPDATE loose SET b = ? WHERE a = ?", (value, key)),
                ("DELETE FROM loose WHERE a = ?", (key,))))
            connection.execute(statement, arguments)
        if tagged:
            connection.execute("DELETE FROM history_author")
        connection.execute("ROLLBACK" if rng.random() < 0.05 else "COMMIT")
        if rng.random() < 0.2:
            time.sleep(rng.random() * 0.004)
    connection.close()


class Round:
    def __init__(self, binary, folder, seed):
        self.binary, self.folder, self.rng, self.seed = binary, folder, random.Random(seed), seed
        self.source, self.target = (os.path.join(folder, name) for name in ("source.db", "target.db"))

    def run(self, *arguments, **options):
        done = subprocess.run([self.binary, *arguments], capture_output=True, timeout=60, **options)
        if done.returncode:
            raise Wrong(f"{' '.join(arguments)} ended with {done.returncode}: {done.stderr.decode()}")
        return done.stdout.decode()

    def follow(self, road, wait):
        """Lets the target follow for a while, and kills what is under way; `wait` is None for to the end."""
        end = [] if wait else ["--no-follow"]
        if road == "file":
            processes = [subprocess.Popen([self.binary, "apply", self.target, "--from", self.source, *end])]
        else:
            since = "oldest"
            if road == "position":
                since = self.run("apply", self.target, "--position", "--store", self.identity).strip()
            stream = subprocess.Popen([self.binary, "stream", self.source, "--since", since, *end], stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL)
            apply = subprocess.Popen([self.binary, "apply", self.target], stdin=stream.stdout)
            stream.stdout.close()
            processes = [apply, stream]
        if wait is None:
            codes = [process.wait(60) for process in processes]
            if any(codes):
                raise Wrong(f"by {road} the last run ended with {codes}")
            return
        time.sleep(wait)
        self.rng.shuffle(processes)
        for process in processes:
            if process.poll() not in (None, 0, 1, -signal.SIGKILL, 141):
                raise Wrong(f"by {road} it ended with {process.returncode}")
            process.kill()
        for process in processes:
            process.wait()

    def changes(self, path):
        lines = [json.loads(line) for line in self.run("stream", path, "--since", "oldest", "--no-follow").splitlines()]
        changes, transactions = [], []
        for line in lines:
            if line["kind"] == "change":
                changes.append([line.get(field) for field in ("author", "table", "op", "key", "changed", "before", "after")])
            elif line["kind"] == "commit" and line["tagged"]:
                transactions.append((line["author"], line["context"], line["changes"]))
            elif line["kind"] == "gap":
                raise Wrong("a gap")
        return changes, transactions

    def play(self):
        for path in (self.source, self.target):
            connection = sqlite3.connect(path)
            connection.execute("PRAGMA journal_mode = " + self.rng.choice(("wal", "wal", "delete")))
            connection.executescript(SCHEMA)
            connection.close()
            self.run("track", path)
        self.identity = json.loads(self.run("status", self.source, "--json"))["store"]
        stop = threading.Event()
        writer = threading.Thread(target=write, args=(self.source, random.Random(self.seed + 1), stop, self.seed))
        writer.start()
        try:
            for _ in range(self.rng.randrange(3, 9)):
                self.follow(self.rng.choice(("file", "position", "oldest")), self.rng.random() ** 2 * 0.3 + 0.01)
        finally:
            stop.set()
            writer.join()
        self.follow(self.rng.choice(("file", "position", "oldest")), None)
        self.compare()

    def compare(self):
        source, target = (sqlite3.connect(path) for path in (self.source, self.target))
        for connection in (source, target):
            connection.text_factory = bytes
            if connection.execute("PRAGMA integrity_check").fetchall() != [(b"ok",)]:
                raise Wrong("integrity_check")
        for table, columns in TABLES.items():
            rows = [repr(c.execute(f"SELECT {columns} FROM {table} ORDER BY 1, 2, 3").fetchall()) for c in (source, target)]
            if rows[0] != rows[1]:
                raise Wrong(f"{table} differs")
        (ours, tagged), (theirs, arrived) = self.changes(self.source), self.changes(self.target)
        if tagged != arrived:
            raise Wrong(f"{len(arrived)} tagged transactions for {len(tagged)}")
        if ours != theirs:
            raise Wrong(f"{len(theirs)} changes for {len(ours)}, or other ones")
        self.run("check", self.target)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--keep", action="store_true", help="keep the stores of rounds that failed")
    options = parser.parse_args()
    failed = 0
    for number in range(options.rounds):
        folder = tempfile.mkdtemp(prefix="historywatch-sync-")
        try:
            Round(os.path.abspath(options.binary), folder, options.seed + number).play()
        except Exception as error:  # noqa: BLE001
            failed += 1
            print(f"FAILED  round {number} (--seed {options.seed + number} --rounds 1): {error}")
            if not isinstance(error, Wrong):
                traceback.print_exc()
            if options.keep:
                print(f"        kept in {folder}")
                continue
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{options.rounds - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
