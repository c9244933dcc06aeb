#!/usr/bin/env python3
"""The kill test: kill -9 at random moments, and nothing may be lost, doubled or torn.

    python3 Tests/KillTests/run.py --binary .build/release/historywatch [--rounds 200] [--seed N] [--round K] [--keep]

Each round has a store of its own that several processes write to at once while streams follow it: two plain-SQL writers and
`write`. One kind of process is the victim, in turn: a writer, `write`, `stream --cursor-file` (which is then resumed), `trim`,
`run` (which is then started again) or its command. When all is quiet again:

- integrity_check is ok, and what was rolled back or cut off never shows;
- every transaction that the tables hold is in the stream once, whole, in the order of its writer, under its author;
- each run of the resumed stream is exactly what reading from its first position gives; where runs overlap, the same
  transactions came under the same tokens; nothing is missing between them; replayed, they give exactly the tables;
- `write` printed a token only for what is there, and it is the token of that commit;
- after `run` or its command was killed, every transaction that matches lies in the range of a run that was done, no run was
  told another number of transactions than its range has, and nothing is left to do;
- after `trim` was killed, the history is a whole rest: positions before `oldest` are refused, all others read on exactly.

The seed draws what is done and when kills are due; when they hit is up to the machine. The last line is `N passed, N failed`.
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

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
# What reads lines and compares tables is shared with the real-input test.
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "RealInput"))

import writer
from replay import Program, Rows, Store, Wrong, compare, parse

PATIENCE = 60
TABLES = ["ledger", "part", "total", "slot", "loose"]


class Transactions:
    """The whole transactions of a stream's lines, flattened to items that can be compared.

    An item is a line: of a tagged transaction as it came, of an untagged one without what depends on how a run of them is
    divided, and without its commit. What has no commit line has not happened."""

    def __init__(self, lines, cut_off=False):
        self.items, self.changes, self.commits, self.tokens, self.reason = [], [], [], [], None
        self.hello, self.rows, self.begins_with_rows, self.snapshot = None, None, False, None
        pending = []
        for line in lines:
            kind = line["kind"]
            if pending and kind not in ("change", "commit"):
                raise Wrong(f"a {kind} line inside a transaction")
            if kind == "hello":
                self.hello = line
            elif kind == "snapshot-begin":
                self.rows, self.begins_with_rows = Rows(), True
            elif kind == "row":
                self.rows.take(line)
            elif kind == "snapshot-end":
                self.snapshot = line["token"]
            elif kind == "change":
                pending.append(line)
            elif kind == "commit":
                self.take(line, pending)
                pending = []
            elif kind == "bye":
                self.reason = line["reason"]
            elif kind in ("gap", "schema", "expired"):
                raise Wrong(f"an unexpected line: {json.dumps(line)}")
        if pending and not cut_off:
            raise Wrong("an orderly end inside a transaction")

    def take(self, commit, changes):
        if commit["changes"] != len(changes) or not changes:
            raise Wrong(f"commit says {commit['changes']} changes, {len(changes)} came: {json.dumps(commit)}")
        if any(c["transaction"] != commit["transaction"] or c["author"] != commit["author"] for c in changes):
            raise Wrong(f"changes of another transaction before {json.dumps(commit)}")
        for change in changes:
            shown = change if commit["tagged"] else {k: v for k, v in change.items() if k not in ("transaction", "index")}
            self.items.append(json.dumps(shown))
            self.changes.append(change)
        if commit["tagged"]:
            self.items.append(json.dumps(commit))
            self.changes.append(None)
        self.commits.append((commit, changes))
        self.tokens.append((commit["token"], len(self.items)))

    def whole(self):
        """Each transaction shows whole, and a statement is never divided."""
        for commit, changes in self.commits:
            if commit["tagged"]:
                self.whole_tagged(commit, changes)
                continue
            seen = {}
            for change in changes:
                if change["table"] != "loose" or change["op"] != "insert":
                    raise Wrong(f"untagged, but of a tagged transaction: {json.dumps(change)}")
                at = (change["after"]["writer"], change["after"]["n"])
                seen[at] = seen.get(at, 0) + 1
            if torn := [at for at, count in seen.items() if count != 3]:
                raise Wrong(f"an untagged statement was divided: {torn}")

    @staticmethod
    def whole_tagged(commit, changes):
        name, _, n = commit["context"].rpartition(":")
        first, last = changes[0], changes[-1]
        expected = (name, int(n))
        if commit["author"] != name:
            raise Wrong(f"author {commit['author']} of transaction {commit['context']}")
        if (first["table"], first["op"]) != ("ledger", "insert") or (first["key"]["writer"], first["key"]["n"]) != expected:
            raise Wrong(f"transaction {commit['context']} begins with {json.dumps(first)}")
        if last["table"] != "total" or (last["after"]["n"], last["key"]["writer"]) != (expected[1], name):
            raise Wrong(f"transaction {commit['context']} ends with {json.dumps(last)}")
        parts = [c["after"]["i"] for c in changes if c["table"] == "part" and c["op"] == "insert"]
        if parts != list(range(first["after"]["parts"])):
            raise Wrong(f"transaction {commit['context']} is torn: {len(parts)} of {first['after']['parts']} parts")
        if [c["index"] for c in changes] != list(range(len(changes))):
            raise Wrong(f"indexes of {commit['context']}: {[c['index'] for c in changes]}")


class Follower:
    """A stream in the background. It may be killed; what it wrote until then is kept, a line that was cut off is not."""

    def __init__(self, program, *arguments):
        self.lines, self.killed, self.broken = [], False, None
        self.process = subprocess.Popen([program.binary, "stream", *map(str, arguments)], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        try:
            for line in self.process.stdout:
                if line.endswith(b"\n"):
                    self.lines.append(parse(line))
        except Exception as error:
            self.broken = error

    def kill(self):
        self.killed = True
        self.process.kill()
        self.end()

    def stop(self):
        self.process.terminate()
        self.end()
        if self.process.returncode != 143:
            raise Wrong(f"stream ended with {self.process.returncode} on SIGTERM: {self.error}")

    def end(self):
        self.process.wait(PATIENCE)
        self.thread.join(PATIENCE)
        self.error = self.process.stderr.read().decode(errors="replace").strip()[:400]
        self.process.stdout.close()
        self.process.stderr.close()
        if self.broken:
            raise self.broken
        if not self.killed and self.process.returncode not in (0, 143):
            raise Wrong(f"stream ended by itself with {self.process.returncode}: {self.error}; last line {json.dumps(self.lines[-1:])}")

    def transactions(self):
        return Transactions(self.lines, cut_off=self.killed)

    def until(self, condition, what):
        """Waits until a line that came fits the condition."""
        end, looked = time.monotonic() + PATIENCE, 0
        while time.monotonic() < end:
            while looked < len(self.lines):
                if condition(self.lines[looked]):
                    return
                looked += 1
            if not self.thread.is_alive():
                self.end()
                raise Wrong(f"the stream ended ({self.process.returncode}) before {what}: {json.dumps(self.lines[-1:])}")
            time.sleep(0.005)
        raise Wrong(f"within {PATIENCE} s the stream did not show {what}")


class PlainWriter:
    """writer.py in a process of its own, started anew under a new name after each kill."""

    def __init__(self, database, name, draw):
        self.database, self.name, self.draw, self.lives = database, name, draw, 0
        self.start()

    def start(self):
        self.lives += 1
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", os.path.join(HERE, "writer.py"), self.database, f"{self.name}.{self.lives}", str(self.draw.random())],
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stderr.close()

    def stop(self):
        self.process.terminate()
        error = self.process.communicate(timeout=PATIENCE)[1].decode(errors="replace").strip()
        # It may have been told to stop before it had begun to listen.
        if self.process.returncode not in (0, -signal.SIGTERM):
            raise Wrong(f"a plain writer failed: {error[-300:]}")


class Repeated:
    """A command run again and again in a thread; some of its runs are killed."""

    def __init__(self, program, draw, kill):
        self.program, self.draw, self.share, self.kills, self.going, self.error = program, draw, kill, 0, True, None
        self.longest = 0.01
        self.thread = threading.Thread(target=self.loop, daemon=True)
        self.thread.start()

    def loop(self):
        try:
            while self.going:
                self.once()
                time.sleep(self.draw.random() * 0.01)
        except Exception as error:
            self.error = error

    def run(self, *arguments, input=None):
        """(exit code, standard output) of a run; -9 when it was killed in time."""
        begun = time.monotonic()
        process = subprocess.Popen([self.program.binary, *map(str, arguments)], stdin=subprocess.PIPE if input else subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        victim = self.draw.random() < self.share
        if victim:
            # At any moment of what a run has taken so far.
            timer = threading.Timer(self.draw.random() * self.longest * 1.1, process.kill)
            timer.start()
        try:
            output, error = process.communicate(input, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            raise Wrong(f"did not end within {PATIENCE} s: {arguments[0]}")
        if victim:
            timer.cancel()
        if process.returncode == -signal.SIGKILL:
            self.kills += 1
        else:
            self.longest = min(0.5, max(self.longest, time.monotonic() - begun))
            if process.returncode:
                raise Wrong(f"{arguments[0]} ended with {process.returncode}: {error.decode(errors='replace').strip()[:300]}")
        return process.returncode, output.decode()

    def stop(self):
        self.going = False
        self.thread.join(PATIENCE)
        if self.error:
            raise self.error


class CommandWriter(Repeated):
    """`historywatch write`, with what it printed."""

    def __init__(self, program, draw, database, kill):
        self.database, self.n, self.printed = database, 0, {}
        super().__init__(program, draw, kill)

    def once(self):
        self.n += 1
        sql = ";\n".join(writer.statements("command", self.n, self.draw))
        _, output = self.run("write", self.database, "--author", "command", "--context", f"command:{self.n}", input=sql.encode())
        if output.endswith("\n"):
            self.printed[f"command:{self.n}"] = output.strip()


class Trimmer(Repeated):
    def __init__(self, program, draw, database, kill, keep):
        self.database, self.keep = database, keep
        super().__init__(program, draw, kill)

    def once(self):
        self.run("trim", self.database, "--keep-last", self.keep)


class Reloader:
    """`run` with command.py, which writes down each of its runs."""

    def __init__(self, program, database, folder, *options):
        self.log, self.state = os.path.join(folder, "runs"), os.path.join(folder, "state")
        self.errors = open(os.path.join(folder, "errors"), "ab")
        self.process = subprocess.Popen(
            [program.binary, "run", database, "--table", "ledger", "--debounce", "10ms", "--max-wait", "60ms", "--state", self.state, *options,
             "--", sys.executable, "-I", "-S", os.path.join(HERE, "command.py"), self.log],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.errors)

    def lines(self):
        """(word, process, reason, since, until, transactions) of each line so far."""
        try:
            with open(self.log) as file:
                return [tuple(line.split()) for line in file.read().split("\n")[:-1]]
        except FileNotFoundError:
            return []

    def kill_command(self):
        """Kills the run that is on its way, if there is one; whether there was."""
        lines = self.lines()
        if not lines or lines[-1][0] != "begun":
            return False
        try:
            os.killpg(int(lines[-1][1]), signal.SIGKILL)
        except ProcessLookupError:
            return False
        return True

    def is_settled(self):
        with open(self.state) as file:
            return "\ntries " not in file.read()

    def check(self):
        if self.process.poll() is not None:
            with open(self.errors.name) as file:
                raise Wrong(f"run ended by itself with {self.process.returncode}: {file.read()[-300:]}")

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.errors.close()

    def stop(self):
        self.check()
        self.process.terminate()
        self.process.wait(PATIENCE)
        self.errors.close()
        if self.process.returncode != 143:
            raise Wrong(f"run ended with {self.process.returncode} on SIGTERM")


class Round:
    """One store, one kind of victim."""

    VICTIMS = ("writer", "write", "stream", "trim", "run")

    def __init__(self, program, seed, number, folder):
        self.program, self.number, self.folder = program, number, folder
        self.draw = random.Random(f"{seed}:{number}")
        self.victim = self.VICTIMS[number % len(self.VICTIMS)]
        self.journal = "delete" if self.draw.random() < 0.2 else "wal"
        self.with_rows = self.victim == "stream" and self.draw.random() < 0.4
        self.with_consumer = self.victim == "trim" and self.draw.random() < 0.5
        self.database = os.path.join(folder, "store.db")
        self.store = Store(self.database)
        self.cursor = os.path.join(folder, "cursor")
        self.kills, self.running, self.runs = 0, [], []

    def __str__(self):
        marks = [self.victim, self.journal] + ["rows first"] * self.with_rows + ["consumer"] * self.with_consumer
        return f"round {self.number} ({', '.join(marks)})"

    def pause(self, low, high):
        time.sleep(self.draw.uniform(low, high))

    def started(self, process):
        self.running.append(process)
        return process

    def stopped(self, process):
        self.running.remove(process)
        process.stop()

    def write_alone(self, name, count):
        """Transactions before the others begin."""
        connection = sqlite3.connect(self.database, isolation_level=None)
        connection.execute("PRAGMA synchronous = OFF")
        for n in range(1, count + 1):
            writer.run(connection, name, n, self.draw, pause=lambda _: None)
        connection.close()

    def play(self):
        connection = sqlite3.connect(self.database, isolation_level=None)
        connection.execute(f"PRAGMA journal_mode = {self.journal}")
        connection.executescript(writer.SCHEMA)
        connection.close()
        self.program.run("track", self.database)
        self.write_alone("early", self.draw.randrange(0, 40))
        self.rows, self.start = self.program.snapshot(self.database)
        compare(self.rows, self.store, TABLES, "the first snapshot")
        self.already = set(self.contexts())
        if self.victim == "trim":
            self.play_trim()
        elif self.victim == "run":
            self.play_run()
        else:
            self.play_others()
        self.store.integrity()

    def start_writers(self):
        self.writers = [self.started(PlainWriter(self.database, name, self.draw)) for name in ("one", "two")]
        share = 0.5 if self.victim == "write" else 0
        self.command = self.started(CommandWriter(self.program, random.Random(self.draw.random()), self.database, share))

    def stop_writers(self):
        for process in [*self.writers, self.command]:
            self.stopped(process)
        if self.victim == "write":
            self.kills += self.command.kills

    # -- writer, write, stream

    def follow(self, *more):
        how = ["--snapshot", "initial"] if self.with_rows else ["--since", self.start]
        return Follower(self.program, self.database, *how, "--cursor-file", self.cursor, *more)

    def play_others(self):
        reader = self.follow()
        self.start_writers()
        if self.victim != "stream":
            reader.until(lambda line: line["kind"] == "hello", "hello")
        try:
            for _ in range(self.draw.randrange(1, 4)):
                self.pause(0, 0.25)
                if self.victim == "writer":
                    victim = self.draw.choice(self.writers)
                    victim.kill()
                    self.kills += 1
                    victim.start()
                elif self.victim == "stream":
                    reader.kill()
                    self.kills += 1
                    self.runs.append(reader)
                    reader = self.follow()
            self.pause(0.05, 0.2)
            self.stop_writers()
            reader.until(lambda line: line["kind"] == "hello", "hello")
        except BaseException:
            reader.process.kill()
            raise
        reader.stop()
        self.runs.append(reader)
        last = self.follow("--no-follow")
        last.end()
        self.runs.append(last)
        full = self.read(self.start)
        self.replays(full)
        self.complete(full)
        self.resumed(full)

    def read(self, since, codes=(0,)):
        return Transactions(self.program.stream(self.database, "--since", since, "--no-follow", codes=codes))

    def replays(self, full):
        rows = self.rows.copy()
        for change in full.changes:
            if change:
                rows.take(change)
        compare(rows, self.store, TABLES, "the whole stream")

    def contexts(self):
        """What the tables say was committed, by writer in order."""
        return [f"{name.decode()}:{n}" for name, n in self.store.ask("SELECT writer, n FROM ledger ORDER BY writer, n")]

    def complete(self, full):
        """Every committed transaction once, whole, in order; nothing else."""
        full.whole()
        shown = [commit["context"] for commit, _ in full.commits if commit["tagged"]]
        held = [context for context in self.contexts() if context not in self.already]
        if doubled := {c for c in shown if shown.count(c) > 1}:
            raise Wrong(f"shown twice: {sorted(doubled)[:5]}")
        if lost := set(held) - set(shown):
            raise Wrong(f"lost: {sorted(lost)[:5]}")
        if strange := set(shown) - set(held):
            raise Wrong(f"shown, but never committed: {sorted(strange)[:5]}")
        last = {}
        for context in shown:
            name, _, n = context.rpartition(":")
            if int(n) <= last.get(name, 0):
                raise Wrong(f"{context} comes after {name}:{last[name]}")
            last[name] = int(n)
        tokens = {commit["context"]: commit["token"] for commit, _ in full.commits}
        for context, token in self.command.printed.items():
            if tokens.get(context) != token:
                raise Wrong(f"write printed {token} for {context}, whose commit has {tokens.get(context)}")

    def resumed(self, full):
        """The runs of the stream that used the cursor file, laid one after another."""
        total, rows, position = len(full.items), None if self.with_rows else self.rows.copy(), None if self.with_rows else 0
        begun = 0
        for place, follower in enumerate(self.runs, 1):
            run = follower.transactions()
            if run.hello is None or (run.begins_with_rows and run.snapshot is None):
                continue  # killed before it could say anything
            run.whole()
            since = run.snapshot if run.begins_with_rows else run.hello["token"]
            again = self.read(since)
            start = total - len(again.items)
            if full.items[start:] != again.items:
                raise Wrong(f"reading from where run {place} began is not the rest of the whole stream")
            if run.items != again.items[: len(run.items)]:
                at = next(i for i, (a, b) in enumerate(zip(run.items + [None], again.items + [None])) if a != b)
                raise Wrong(f"run {place} showed {(run.items + ['nothing'])[at][:200]}, where reading again gives {(again.items + ['nothing'])[at][:200]}")
            if start < begun:
                raise Wrong(f"run {place} begins {begun - start} lines before the run before it began")
            begun = start
            if run.begins_with_rows:
                rows, position = run.rows, start
            elif position is None:
                raise Wrong(f"run {place} continues although no rows were sent whole before it")
            elif start > position:
                raise Wrong(f"lost: run {place} begins {start - position} lines after what was shown so far")
            for change in run.changes[position - start:]:
                if change:
                    rows.take(change)
            position = max(position, start + len(run.items))
        if position != total:
            raise Wrong(f"lost: the resumed stream ends {total - (position or 0)} lines before the head")
        compare(rows, self.store, TABLES, "the resumed stream")

    # -- run

    def reload(self):
        busy = ["--on-busy", "restart"] if self.draw.random() < 0.3 else []
        return self.started(Reloader(self.program, self.database, self.folder, "--since", self.start, *busy))

    def play_run(self):
        reloader = self.reload()
        self.start_writers()
        for _ in range(self.draw.randrange(2, 6)):
            self.pause(0, 0.3)
            if self.draw.random() < 0.7:
                reloader.check()
                self.running.remove(reloader)
                reloader.kill()
                self.kills += 1
                # As when the machine goes down; else its command goes on by itself, and may be done.
                if self.draw.random() < 0.7 and reloader.kill_command():
                    self.kills += 1
                self.pause(0, 0.1)
                reloader = self.reload()
            elif reloader.kill_command():
                self.kills += 1
        self.stop_writers()
        full = self.read(self.start)
        self.complete(full)
        self.caught_up(reloader)
        self.stopped(reloader)
        runs = reloader.lines()
        reloader = self.reload()
        self.pause(0.15, 0.2)
        self.stopped(reloader)
        if reloader.lines() != runs:
            raise Wrong(f"a run although nothing was left to do: {reloader.lines()[-1]}")

    def caught_up(self, reloader):
        """Every transaction lies in the range of a run that was done, and each run was told how many its range has."""
        held, covered, ranges = {context for context in self.contexts() if context not in self.already}, set(), {}
        end = time.monotonic() + PATIENCE
        while True:
            for word, _, reason, since, until, count in reloader.lines():
                if reason not in ("changed", "retry"):
                    raise Wrong(f"a run with reason {reason}")
                if (since, until) not in ranges:
                    ranges[since, until] = self.matching(since, until)
                if len(ranges[since, until]) != int(count):
                    raise Wrong(f"a run was told of {count} transactions from {since} until {until}, which are {len(ranges[since, until])}")
                if word == "done":
                    covered |= ranges[since, until]
            if held <= covered and reloader.is_settled():
                return
            reloader.check()
            if time.monotonic() > end:
                raise Wrong(f"lost: no run that was done covers {sorted(held - covered)[:5]}")
            time.sleep(0.05)

    def matching(self, since, until):
        lines = self.program.stream(self.database, "--since", since, "--until", until, "--no-follow", "--table", "ledger")
        return {line["context"] for line in lines if line["kind"] == "commit"}

    # -- trim

    def play_trim(self):
        keep = self.draw.randrange(1, 20) if self.with_consumer else self.draw.randrange(150, 250)
        if self.with_consumer:
            self.program.run("consumer", "create", self.database, "witness", "--at", self.start)
            witness = Follower(self.program, self.database, "--consumer", "witness")
        else:
            witness = Follower(self.program, self.database, "--since", self.start)
        try:
            witness.until(lambda line: line["kind"] == "hello", "hello")
            self.write_alone("filler", 350)
            self.catch_up(witness)
            self.start_writers()
            trimmer = self.started(Trimmer(self.program, random.Random(self.draw.random()), self.database, 0.7, keep))
            end = time.monotonic() + self.draw.uniform(0.2, 0.5)
            while time.monotonic() < end or (trimmer.kills == 0 and trimmer.error is None and time.monotonic() < end + 5):
                time.sleep(0.01)
            self.stop_writers()
            self.stopped(trimmer)
            self.kills += trimmer.kills
            self.catch_up(witness)
        except BaseException:
            witness.process.kill()
            raise
        witness.stop()
        full = witness.transactions()
        self.replays(full)
        self.complete(full)
        self.rest_is_whole(full)
        self.program.run("trim", self.database, "--keep-last", keep)
        self.rest_is_whole(full)
        if self.with_consumer:
            left = Transactions(self.program.stream(self.database, "--consumer", "witness", "--no-follow"))
            if left.items and left.items != full.items[-len(left.items):]:
                raise Wrong("what the consumer still had to read is not the end of the history")

    def catch_up(self, witness):
        """The witness has seen the last transaction of every writer."""
        for name, n in self.store.ask("SELECT writer, max(n) FROM ledger GROUP BY writer"):
            context = f"{name.decode()}:{n}"
            if context not in self.already:
                witness.until(lambda line: line["kind"] == "commit" and line["context"] == context, context)
        loose = self.store.ask("SELECT writer, n FROM loose ORDER BY rowid DESC LIMIT 1")
        fresh = [(w.decode(), n) for w, n in loose if w != b"early"]
        for at in fresh:
            witness.until(lambda line: line["kind"] == "change" and line["table"] == "loose" and (line["after"]["writer"], line["after"]["n"]) == at, str(at))

    def rest_is_whole(self, full):
        """From `oldest` on everything can be read, before it nothing."""
        rest = self.read("oldest")
        rest.whole()
        first = len(full.items) - len(rest.items)
        if first < 0:
            # The history before the first snapshot is still there.
            rest_of = rest.items[-first:]
        else:
            rest_of = rest.items
        if rest_of != full.items[max(0, first):]:
            raise Wrong("what is left after trimming is not the end of what was shown before")
        places = [(self.start, 0), *full.tokens]
        near = [p for p in places if abs(p[1] - first) < 200]
        for token, place in {*self.draw.sample(near, min(4, len(near))), *self.draw.sample(places, min(4, len(places))), places[-1]}:
            if place >= first:
                if self.read(token).items != full.items[place:]:
                    raise Wrong(f"a position after oldest ({place - first} lines) does not read what followed it")
            else:
                lines = self.program.stream(self.database, "--since", token, "--no-follow", codes=(3,))
                if not any(line["kind"] == "expired" and line["reason"] == "trimmed" for line in lines):
                    raise Wrong("a trimmed position is refused without an expired line")

    def clean(self):
        for process in self.running:
            if isinstance(process, (PlainWriter, Reloader)):
                process.kill()
            else:
                process.going = False
                process.thread.join(PATIENCE)
        for run in self.runs:
            if run.process.poll() is None:
                run.process.kill()


def main():
    parser = argparse.ArgumentParser(description="Kills writers, streams, trims and runs at random moments; nothing may be lost, doubled or torn.")
    parser.add_argument("--binary", required=True)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=None, help="default: drawn, and printed")
    parser.add_argument("--round", type=int, default=None, help="only this round of the seed")
    parser.add_argument("--keep", action="store_true", help="keep the stores of failed rounds")
    options = parser.parse_args()
    if not os.access(options.binary, os.X_OK):
        parser.error(f"{options.binary} is not a program")
    program = Program(options.binary)
    seed = random.SystemRandom().randrange(10**6) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    passed = failed = kills = 0
    for number in range(options.rounds) if options.round is None else [options.round]:
        folder = tempfile.mkdtemp(prefix="historywatch-kill-")
        round = Round(program, seed, number, folder)
        message = None
        try:
            round.play()
        except (Wrong, subprocess.TimeoutExpired, sqlite3.Error) as error:
            message = str(error)
        except Exception:
            message = "the test itself broke\n" + traceback.format_exc()
        finally:
            round.clean()
            kills += round.kills
        if message is None:
            passed += 1
        else:
            failed += 1
            print(f"FAILED  {round}: {message}\n        again: --seed {seed} --round {number}" + (f"; kept {folder}" if options.keep else ""), flush=True)
        if message is None or not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
    print(f"{kills} kills")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
