#!/usr/bin/env python3
"""One store under everything that may happen to it, with a record of what was committed and in which order.

    python3 Tests/SoakTests/store.py --binary .build/release/historywatch [--minutes 15] [--seed N] [--keep]

Two to eight processes write (chain.py), tagged, untagged, by `write` and outside of any BEGIN. Five streams read, three from the
file and two through `serve`, by change or by transaction, and keep their positions in three ways (readers.py). Meanwhile streams
and the server are killed and started again, the history is trimmed, also while a stream stands still, the log is checkpointed,
the store is restored from older copies, by SQLite's backup while others write and by `mv`, and strangers add, rename and drop
columns and rebuild a table.

Each transaction's first row names the one before it. So each reader is held to the chain, line by line: it must get every link,
whole and in order, or be told that it will not (`expired` and a new beginning), and every row of each link in its order; of the
table whose shape strangers change it may miss rows, but then a `schema` or `gap` line must say so. Again and again all becomes
quiet, and then every reader has come to the last link, and what was rolled back was shown to nobody.

The seed draws what is done; when it hits is up to the machine. Figures come at the end, the last line is `passed` or `failed`.
"""
import collections
import os
import random
import sqlite3
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "RealInput"))

import chain
import trial
from readers import Reader
from replay import Wrong

PATIENCE = 60


class Soak:
    def __init__(self, program, seed, minutes, folder):
        self.program, self.seed, self.minutes, self.folder = program, seed, minutes, folder
        self.draw, self.database = random.Random(seed), os.path.join(folder, "a.db")
        self.is_over, self.writers, self.server, self.copies = False, [], None, []
        self.counts, self.lock = collections.Counter(), threading.Lock()
        self.trims = self.restores = self.lives = self.columns = 0
        self.lag = 0.0
        socket = self.file("socket")
        self.readers = [
            Reader(self, "direct", [], "file"),
            Reader(self, "whole", ["--group", "transaction"], "token"),
            Reader(self, "kept", [], "consumer"),
            Reader(self, "served", ["--socket", socket], "file"),
            Reader(self, "consumer", ["--socket", socket, "--group", "transaction"], "consumer"),
        ]

    def file(self, name):
        return os.path.join(self.folder, name)

    def count(self, what):
        with self.lock:
            self.counts[what] += 1

    def connect(self, path=None):
        return sqlite3.connect(path or self.database, timeout=30, isolation_level=None)

    def ask(self, sql):
        connection = self.connect()
        try:
            return connection.execute(sql).fetchall()
        finally:
            connection.close()

    def until(self, condition, what):
        end = time.monotonic() + PATIENCE
        while not condition():
            self.check()
            if time.monotonic() > end:
                raise Wrong(f"within {PATIENCE} s not: {what()}")
            time.sleep(0.02)

    def check(self):
        for reader in self.readers:
            if reader.error:
                raise Wrong(f"{reader.name}: {reader.error}") from reader.error
        for writer in self.writers:
            if writer.poll() is not None:
                raise Wrong(f"a writer failed: {writer.stderr.read().decode(errors='replace')[-300:]}")
        if self.server and self.server.poll() is not None:
            raise Wrong(f"the server ended by itself with {self.server.returncode}")

    # -- what happens

    def play(self):
        connection = self.connect()
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(chain.SCHEMA)
        connection.close()
        self.program.run("track", self.database)
        for name in ("kept", "consumer"):
            self.program.run("consumer", "create", self.database, name, "--at", "oldest")
        self.serve()
        for reader in self.readers:
            reader.start()
        events = [self.trim, self.trim_ahead, self.checkpoint, self.copy, self.add, self.rename, self.drop, self.rebuild, self.renew, self.serve_again,
                  self.stop_reader, self.stop_reader]
        end, is_first = time.monotonic() + self.minutes * 60, True
        while is_first or time.monotonic() < end:
            is_first = False
            self.start_writers()
            until = min(time.monotonic() + self.draw.uniform(5, 15), max(end, time.monotonic() + 3))
            while time.monotonic() < until:
                time.sleep(self.draw.uniform(0.05, 0.6))
                self.draw.choice(events)()
                self.check()
            if self.copies and self.draw.random() < 0.4:
                self.restore_by_backup()
                time.sleep(self.draw.uniform(0.1, 1))
            self.settle()
            if self.copies and self.draw.random() < 0.4:
                self.restore_by_mv()
                self.settle()
        self.server.terminate()
        if self.server.wait(PATIENCE) != 0:
            raise Wrong(f"the server ended with {self.server.returncode} on SIGTERM")
        self.is_over = True

    def start_writers(self):
        self.lives += 1
        roles = ["tagged", "untagged"] + [self.draw.choice(("tagged", "untagged", "loose", "command")) for _ in range(self.draw.randint(0, 6))]
        for number, role in enumerate(roles):
            self.writers.append(subprocess.Popen(
                [sys.executable, "-I", "-S", os.path.join(HERE, "chain.py"), self.database, f"{role}{number}", str(self.draw.random()), role,
                 self.file("log"), self.program.binary],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE))
        for writer in self.writers:
            writer.stdout.readline()
        self.counts["most writers"] = max(self.counts["most writers"], len(roles))

    def stop_writers(self):
        stopping, self.writers = self.writers, []
        for writer in stopping:
            writer.terminate()
        for writer in stopping:
            _, error = writer.communicate(timeout=PATIENCE)
            if writer.returncode:
                raise Wrong(f"a writer failed: {error.decode(errors='replace')[-300:]}")

    def serve(self):
        with open(self.file("server.errors"), "ab") as errors:
            self.server = subprocess.Popen([self.program.binary, "serve", self.database, "--socket", self.file("socket")],
                                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)

    def serve_again(self):
        if self.draw.random() < 0.5:
            self.server.kill()
        else:
            self.server.terminate()
        self.server.wait(PATIENCE)
        self.serve()
        self.count("servers")

    def stop_reader(self):
        self.draw.choice(self.readers).stop()

    def trim(self):
        self.trims += 1
        options = self.draw.choice((["--keep-last", "20"], ["--max-size", "128KB"], ["--older-than", "2s"]))
        self.program.run("trim", self.database, *options, *self.draw.choice(([], ["--force"])), codes=(0, 1))

    def trim_ahead(self):
        """Drops what a reader that stands still has not read."""
        def body():
            time.sleep(self.draw.uniform(0.1, 0.5))
            self.trims += 1
            self.program.run("trim", self.database, "--keep-last", "3", "--force", codes=(0, 1))
        self.draw.choice(self.readers).hold(body)

    def checkpoint(self):
        connection = self.connect()
        connection.execute(f"PRAGMA wal_checkpoint({self.draw.choice(('PASSIVE', 'FULL', 'RESTART', 'TRUNCATE'))})").fetchall()
        connection.close()
        self.count("checkpoints")

    # -- strangers

    def change(self, what, *statements):
        connection = self.connect()
        try:
            connection.execute("BEGIN IMMEDIATE")
            for statement in statements:
                connection.execute(statement)
            connection.execute("COMMIT")
            self.count(what)
        except sqlite3.OperationalError as error:
            # SQLite refuses to drop a column that capture names.
            if "error in trigger" not in str(error):
                raise
            self.count(f"{what} refused")
        finally:
            connection.close()

    def added(self):
        return [row[1] for row in self.ask("PRAGMA table_info(shape)") if row[1] not in ("n", "link")]

    def add(self):
        self.columns += 1
        self.change("columns added", f"ALTER TABLE shape ADD COLUMN c{self.columns} TEXT DEFAULT 'x'")

    def rename(self):
        if added := self.added():
            self.columns += 1
            self.change("columns renamed", f"ALTER TABLE shape RENAME COLUMN {self.draw.choice(added)} TO c{self.columns}")

    def drop(self):
        if added := self.added():
            self.change("columns dropped", f"ALTER TABLE shape DROP COLUMN {self.draw.choice(added)}")

    def rebuild(self):
        self.change("tables rebuilt", "CREATE TABLE made(n INTEGER PRIMARY KEY, link TEXT NOT NULL, own TEXT)",
                    "INSERT INTO made(n, link) SELECT n, link FROM shape", "DROP TABLE shape", "ALTER TABLE made RENAME TO shape")

    def renew(self):
        self.program.run("track", self.database, codes=(0, 1))

    # -- restoring

    def copy(self):
        if len(self.copies) >= 2:
            return
        path = self.file(f"copy{self.draw.randrange(10**9)}.db")
        source, target = self.connect(), self.connect(path)
        source.backup(target)
        source.close()
        target.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        target.close()
        self.copies.append(path)

    def restore_by_backup(self):
        self.restores += 1
        path, end = self.copies.pop(0), time.monotonic() + PATIENCE
        while True:
            source, target = self.connect(path), self.connect()
            try:
                source.backup(target)
                break
            except sqlite3.OperationalError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.01)
            finally:
                source.close()
                target.close()
        os.unlink(path)
        self.forget()
        self.count("restores by backup")

    def restore_by_mv(self):
        self.restores += 1
        connection = self.connect()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        connection.close()
        for suffix in ("-wal", "-shm"):
            if os.path.exists(self.database + suffix):
                os.unlink(self.database + suffix)
        os.rename(self.copies.pop(0), self.database)
        self.forget()
        self.count("restores by mv")

    def forget(self):
        """Copies that are newer than the one it was restored from belong to what is no more."""
        for path in self.copies:
            os.unlink(path)
        self.copies = []

    # -- when all is quiet

    def settle(self):
        self.stop_writers()
        self.program.run("track", self.database)
        begun = time.monotonic()
        # A last link, by which everybody knows that nothing is missing.
        connection = self.connect()
        for statement in chain.statements(f"{self.draw.getrandbits(64):016x}", "last", []):
            connection.execute(statement)
        connection.close()
        head = self.ask("SELECT id FROM links ORDER BY place DESC LIMIT 1")[0][0]
        with open(self.file("log"), "a") as log:
            log.write(f"begun {head}\n")
        self.until(lambda: all(self.is_at(reader, head) for reader in self.readers),
                   lambda: f"at the last link; behind are {[reader.name for reader in self.readers if not self.is_at(reader, head)]}")
        self.lag = max(self.lag, time.monotonic() - begun)
        with open(self.file("log")) as log:
            noted = collections.defaultdict(set)
            for line in log:
                word, link = line.split()
                noted[word].add(link)
        for reader in self.readers:
            if reader.owed:
                raise Wrong(f"{reader.name}: {len(reader.owed)} rows of the table that changed its shape did not come, and nothing said so")
            if strange := reader.seen - noted["begun"]:
                raise Wrong(f"{reader.name}: links that nobody wrote: {sorted(strange)[:3]}")
            if undone := reader.seen & noted["rolled-back"]:
                raise Wrong(f"{reader.name}: links that were rolled back: {sorted(undone)[:3]}")
        self.counts["transactions"] = len(noted["begun"] - noted["rolled-back"])
        self.counts["transactions rolled back"] = len(noted["rolled-back"])
        if self.ask("PRAGMA integrity_check") != [("ok",)]:
            raise Wrong("the store is damaged")
        self.count("quiet moments")

    @staticmethod
    def is_at(reader, head):
        place = reader.place
        return place.link is not None and place.link["id"] == head and not place.rest

    def clean(self):
        self.is_over = True
        for process in [*self.writers, *([self.server] if self.server else []), *(reader.process for reader in self.readers if reader.process)]:
            if process.poll() is None:
                process.kill()
        for reader in self.readers:
            if reader.ident:
                reader.join(5)

    def figures(self):
        for reader in self.readers:
            told = ", ".join(f"{count} {what}" for what, count in sorted(collections.Counter(reader.told).items()))
            yield (f"{reader.name}: {reader.links} links and {reader.changes} changes, {reader.repeated} links again, {reader.starts} starts; "
                   f"told of {told or 'nothing'}")
        yield f"longest until all had everything: {self.lag:.1f} s; {self.trims} trims"
        yield ", ".join(f"{count} {what}" for what, count in sorted(self.counts.items()))


def main():
    options = trial.arguments("A store under everything that may happen to it; each reader gets all of it, or is told.", 15)
    return trial.run(options, lambda program, folder: Soak(program, options.seed, options.minutes, folder))


if __name__ == "__main__":
    sys.exit(main())
