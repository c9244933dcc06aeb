#!/usr/bin/env python3
"""The soak: `serve` under everything that may happen to it, for as long as one likes.

    python3 Tests/SoakTests/run.py --binary .build/release/historywatch [--minutes 5] [--seed N] [--gentle] [--keep]

One server serves two stores. Several processes write; durable consumers with various filters follow over the socket and keep
their last token or have the store keep it, while others read slowly or never, send garbage, or come and go. Meanwhile the server
is killed, stopped and started, told of changed configurations, the history is trimmed by `trim` and by small limits, columns
are added, and the store is restored from older copies, by SQLite's backup and by `mv`. Again and again all becomes quiet, and then

- each consumer has got exactly what reading the history gives under its filter: every change once, in order, whole
  transactions; what came again after a reconnect was the same, and began where the position was;
- every transaction that the tables hold is in the history once;
- after a restore every consumer was told `expired` with the reason before anything else, and began again;
- connections, subscriptions, descriptors and threads are as many as at the first quiet moment of this server; and it holds at
  most 40 MB more memory than at its first three, by when it has seen most of what there is.

With --gentle the server is not killed, so that what it might gather would show.

The seed draws what is done; when it hits is up to the machine. Figures come at the end, the last line is `passed` or `failed`.
"""
import collections
import json
import os
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "RealInput"))

import clients
import trial
import writers
from replay import Store, Wrong, parse

PATIENCE = 90
# How much more memory a server may hold than at its first three quiet moments, in KiB. What was once needed to send large
# transactions to everybody at once is given back to the system now and then only.
GROWTH = 40 << 10
# At most as much, whatever happens.
CEILING = 128 << 10
# As many connections as there may have been at once.
KEPT = 40


class Server:
    """`serve`, which is killed and started again."""

    def __init__(self, soak):
        self.soak, self.process, self.lives, self.quiet = soak, None, 0, []
        self.configuration = os.path.join(soak.folder, "serve.json")
        self.errors = open(os.path.join(soak.folder, "errors"), "ab")
        self.processor = self.highest = 0

    def start(self):
        # One with a mistake would end it.
        while not self.configure(self.soak.draw):
            pass
        command = [self.soak.program.binary, "serve", self.soak.database, "--socket", self.soak.path, "--config", self.configuration,
                   "--keep-size", "64KB"]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.errors)
        self.lives, self.quiet = self.lives + 1, []
        self.soak.until(self.answers, "the server answers")

    def answers(self):
        self.check()
        try:
            self.ask(operation="ping")
            return True
        except OSError:
            return False

    def check(self):
        if self.process.poll() is not None:
            raise Wrong(f"the server ended by itself with {self.process.returncode}: {self.said()}")

    def said(self):
        with open(self.errors.name, errors="replace") as file:
            return file.read()[-400:]

    def ask(self, **request):
        """The first line of the answer to a request."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as made:
            made.settimeout(PATIENCE)
            made.connect(self.soak.path)
            made.sendall(json.dumps(request).encode() + b"\n")
            line = made.makefile("rb").readline()
        if not line:
            raise ConnectionError
        return parse(line)

    def kill(self):
        self.note()
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.note()
        self.process.terminate()
        if self.process.wait(PATIENCE) != 0:
            raise Wrong(f"the server ended with {self.process.returncode} on SIGTERM: {self.said()}")

    def note(self):
        """Adds up what this life has used."""
        self.check()
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        self.processor += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        self.highest = max(self.highest, self.memory("VmHWM"))

    def memory(self, name):
        """In KiB."""
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith(name))

    def descriptors(self):
        """How many there are of each kind."""
        kinds, folder = collections.Counter(), f"/proc/{self.process.pid}/fd"
        for name in os.listdir(folder):
            try:
                kinds[os.readlink(os.path.join(folder, name)).split(":")[0].replace(self.soak.folder + "/", "")] += 1
            except FileNotFoundError:
                pass
        return kinds

    def configure(self, draw):
        """Another configuration; now and then one with a mistake, which must change nothing."""
        kinds = [{"timeline": "Told", "tables": ["ledger"], "subscribers": True}]
        if draw.random() < 0.6:
            kinds.append({"timeline": "Run", "debounce": draw.choice(("50ms", "100ms")), "command": ["/bin/true"]})
        if draw.random() < 0.6:
            kinds.append({"timeline": "Other", "ignoreAuthor": "t1", "minInterval": "1s", "command": ["/bin/false"]})
        for kind in kinds:
            kind["database"] = self.soak.database
        also = {"databases": [self.soak.other]} if draw.random() < 0.6 else {}
        text = json.dumps({**also, "keepSize": draw.choice(("64KB", "1MB")),
                           "keep": draw.choice(("10s", "7d")), "reloads": kinds})
        if draw.random() < 0.2:
            text = text.replace('"reloads"', '"releads"')
        with open(self.configuration + ".new", "w") as file:
            file.write(text)
        os.replace(self.configuration + ".new", self.configuration)
        return "releads" not in text


class Writer:
    def __init__(self, soak, role, name):
        self.soak = soak
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", os.path.join(HERE, "writers.py"), soak.database, name, str(soak.draw.random()), role, str(soak.lives * 1_000_000)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def stop(self):
        self.process.terminate()
        output, error = self.process.communicate(timeout=PATIENCE)
        if self.process.returncode == -signal.SIGTERM:
            return  # it had not begun to listen
        if self.process.returncode:
            raise Wrong(f"a writer failed: {error.decode(errors='replace').strip()[-300:]}")
        committed, refused = map(int, output.split())
        self.soak.counts["transactions"] += committed
        self.soak.counts["refused"] += refused


class Reference:
    """The history since it was last restored, read by `stream`, a piece at a time, before anything of it is trimmed."""

    def __init__(self, soak):
        self.soak, self.token = soak, "oldest"
        self.items = {consumer: [] for consumer in soak.consumers}
        self.contexts, self.loose, self.count = collections.Counter(), collections.Counter(), 0
        self.extend()

    def extend(self):
        self.token = self.read(self.token, self.items, self.contexts, self.loose)
        self.soak.program.run("consumer", "acknowledge", self.soak.database, "reference", self.token)

    def read(self, since, items, contexts, loose):
        pending, token, seen = [], since, None
        for raw in self.lines(since):
            line = parse(raw)
            if line["kind"] == "change":
                pending.append((raw, line))
            elif line["kind"] == "commit":
                self.take(line, pending, items, contexts, loose)
                pending = []
            elif line["kind"] == "bye":
                token, seen = line["token"], line["reason"]
        if seen != "end":
            raise Wrong(f"reading the history ended with {seen}")
        return token

    def lines(self, since):
        """The lines of the history; the server may drop the oldest ones while they are being read."""
        for attempt in range(20):
            try:
                return self.soak.program.run("stream", self.soak.database, "--since", since, "--no-follow").stdout.splitlines()
            except Wrong as error:
                if since != "oldest" or "trimmed" not in str(error) or attempt == 19:
                    raise

    def take(self, commit, changes, items, contexts, loose):
        tagged = commit["tagged"]
        self.count += len(changes)
        if tagged:
            contexts[commit["context"]] += 1
        for _, change in changes:
            if change["table"] == "loose":
                loose[change["after"]["writer"], change["after"]["n"]] += 1
        for consumer, made in items.items():
            shown = [(raw, change) for raw, change in changes if consumer.filter.matches(change)]
            if not shown:
                continue
            made += [clients.item(raw, tagged) for raw, _ in shown]
            if tagged:
                made.append(clients.ending(commit, len(shown)))

    def oldest(self):
        """Where in each consumer's items that begins which can still be read."""
        left = {consumer: [] for consumer in self.items}
        self.read("oldest", left, collections.Counter(), collections.Counter())
        return {consumer: len(self.items[consumer]) - len(rest) for consumer, rest in left.items()}


class Soak:
    def __init__(self, program, seed, minutes, folder, is_gentle=False):
        self.program, self.seed, self.minutes, self.folder = program, seed, minutes, folder
        self.draw, self.is_gentle = random.Random(seed), is_gentle
        self.database, self.other, self.path = (os.path.join(folder, name) for name in ("a.db", "b.db", "socket"))
        self.store = Store(self.database)
        self.is_over = self.is_quiet = False
        self.is_calm = True
        self.counts, self.lock, self.delivered = collections.Counter(), threading.Lock(), 0
        self.writers, self.lives, self.copies, self.lag = [], 0, [], 0.0
        self.columns = 0

    def count(self, what):
        with self.lock:
            self.counts[what] += 1

    def until(self, condition, what):
        end, delivered = time.monotonic() + PATIENCE, self.delivered
        while True:
            value = condition()
            if value:
                return value
            self.check()
            # It may take long while something comes.
            if delivered != self.delivered:
                end, delivered = time.monotonic() + PATIENCE, self.delivered
            if time.monotonic() > end:
                behind = [consumer.name for consumer in self.consumers if consumer.token != self.reference.token]
                raise Wrong(f"within {PATIENCE} s not: {what}; not at the head: {behind}")
            time.sleep(0.02)

    def check(self):
        for client in self.clients:
            if client.error:
                raise Wrong(f"{client.name}: {client.error}") from client.error

    def prepare(self):
        for path in (self.database, self.other):
            connection = sqlite3.connect(path)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.executescript(writers.SCHEMA)
            connection.close()
            self.program.run("track", path)
        F = clients.Filter
        self.consumers = [
            clients.Consumer(self, "all", F()),
            clients.Consumer(self, "kept", F(), keeps="position"),
            clients.Consumer(self, "whole", F(), group="transaction"),
            clients.Consumer(self, "ledger", F(table=("ledger", "total"))),
            clients.Consumer(self, "authors", F(author=("t1", "big", "")), group="transaction", keeps="position"),
            clients.Consumer(self, "others", F(not_author=("big",), op=("insert", "delete"))),
            clients.Consumer(self, "careless", F(not_author=("big",)), is_careless=True),
        ]
        self.clients = [*self.consumers, *(clients.Slow(self, f"slow{n}") for n in range(2)), *(clients.Never(self, f"never{n}") for n in range(2)),
                        *(clients.Garbage(self, f"garbage{n}") for n in range(2)), *(clients.Visitor(self, f"visitor{n}") for n in range(3))]
        for consumer in self.consumers:
            if not consumer.is_careless:
                self.program.run("consumer", "create", self.database, consumer.name, "--at", "oldest")
        self.program.run("consumer", "create", self.database, "reference", "--at", "oldest")
        self.reference, self.already = Reference(self), set()
        self.server = Server(self)
        self.server.start()
        for client in self.clients:
            client.start()

    # -- what happens

    def play(self):
        self.prepare()
        end, number = time.monotonic() + self.minutes * 60, 0
        while time.monotonic() < end:
            number += 1
            self.is_quiet = False
            self.start_writers()
            is_rough = self.draw.random() < 0.6 and not self.is_gentle
            events = [self.hang_up, self.trim, self.configure, self.configure, self.add_column, self.copy] + ([self.restart, self.restart] if is_rough else [])
            until = min(time.monotonic() + self.draw.uniform(8, 25), max(end, time.monotonic() + 5))
            while time.monotonic() < until:
                time.sleep(self.draw.uniform(0.1, 1.5))
                self.draw.choice(events)()
                self.server.check()
                self.check()
            live = self.copies and self.draw.random() < 0.25
            if live:
                self.restore_live()
            self.settle(number)
            if self.copies and self.draw.random() < 0.4:
                self.restore()
                self.settle(number)
        self.server.stop()
        self.is_over = True

    def start_writers(self):
        self.lives += 1
        roles = (("tagged", "t1"), ("tagged", "t2"), ("untagged", "u"), ("big", "big"), ("impatient", "hasty"))
        self.writers = [Writer(self, role, name) for role, name in roles]

    def stop_writers(self):
        stopping, self.writers = self.writers, []
        for writer in stopping:
            writer.stop()

    def hang_up(self):
        self.draw.choice(self.consumers).drop.set()

    def trim(self):
        self.reference.extend()
        self.counts["trims"] += 1
        self.program.run("trim", self.database, *self.draw.choice((("--keep-last", "20"), ("--max-size", "64KB"), ("--older-than", "1s"))), codes=(0, 1))

    def configure(self):
        self.server.configure(self.draw)
        self.server.process.send_signal(signal.SIGHUP)
        self.counts["hangups"] += 1

    def add_column(self):
        self.columns += 1
        if self.columns % 3:
            return
        # What is inserted before capture is renewed may read one way then and another way later, as the guarantees say.
        self.write(f"ALTER TABLE side ADD COLUMN c{self.columns}_{self.draw.randrange(10**6)} TEXT")
        self.until(self.is_renewed, "the server has renewed the capture")
        self.write("INSERT INTO side(body) VALUES ('x')")
        self.counts["columns added"] += 1

    def write(self, sql):
        connection = sqlite3.connect(self.database, timeout=30, isolation_level=None)
        connection.execute(sql)
        connection.close()

    def is_renewed(self):
        self.server.check()
        said = json.loads(self.program.run("status", self.database, "--json").stdout)
        return not any(table["drift"] for table in said["tables"])

    def copy(self):
        """Keeps a copy that the store may be restored from."""
        if len(self.copies) >= 2:
            return
        path = os.path.join(self.folder, f"copy{self.draw.randrange(10**9)}.db")
        source, target = sqlite3.connect(self.database, timeout=30), sqlite3.connect(path)
        source.backup(target)
        source.close()
        target.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        held = {row[0] for row in target.execute("SELECT writer || ':' || n FROM ledger")}
        loose = {row for row in target.execute("SELECT DISTINCT writer, n FROM loose")}
        target.close()
        self.copies.append((path, held, loose))

    def restart(self):
        if self.draw.random() < 0.3:
            self.server.stop()
            self.counts["stops"] += 1
        else:
            self.server.kill()
            self.counts["kills"] += 1
        time.sleep(self.draw.random() * 0.3)
        self.server.start()

    # -- restoring

    def restore(self):
        """Everybody has got everything; the store becomes an older one."""
        is_down = self.draw.random() < 0.3 and not self.is_gentle
        if is_down:
            self.server.kill()
            self.counts["kills"] += 1
        self.mark_restored()
        if self.draw.random() < 0.5:
            self.replace()
        else:
            self.back_up()
        if is_down:
            self.server.start()
        self.begin_again(is_live=False)

    def restore_live(self):
        """The store becomes an older one while writers go on."""
        self.reference.extend()
        places = [(c, len(self.reference.items[c])) for c in self.consumers]
        # Each consumer is beyond the copy, else its position would still be good.
        self.until(lambda: all(c.count >= place for c, place in places if not c.is_careless), "consumers are beyond the copy")
        self.is_calm = False
        self.mark_restored()
        self.back_up()
        self.begin_again(is_live=True)
        self.is_calm = True

    def mark_restored(self):
        for consumer in self.consumers:
            consumer.is_restored = True

    def back_up(self):
        self.restored = self.copies.pop(0)
        end = time.monotonic() + PATIENCE
        while True:
            source, target = sqlite3.connect(self.restored[0]), sqlite3.connect(self.database, timeout=30)
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
        self.counts["restores by backup"] += 1

    def replace(self):
        self.restored = self.copies.pop(0)
        connection = sqlite3.connect(self.database, timeout=30)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
        for suffix in ("-wal", "-shm"):
            if os.path.exists(self.database + suffix):
                os.unlink(self.database + suffix)
        os.rename(self.restored[0], self.database)
        self.counts["restores by mv"] += 1

    def begin_again(self, is_live):
        begun = time.monotonic()
        self.until(lambda: not any(c.is_restored for c in self.consumers if not c.is_careless or c.token), "all consumers were told of the restore")
        self.lag = max(self.lag, time.monotonic() - begun)
        former, self.reference, self.already = self.reference, Reference(self), self.restored[1] | set()
        self.already_loose = self.restored[2]
        for consumer in self.consumers:
            self.compare(consumer, consumer.former, former.items[consumer], None, is_cut=is_live)
        # Copies that are newer than the one it was restored from belong to what is no more.
        for path, _, _ in self.copies:
            os.unlink(path)
        self.copies = []

    # -- when all is quiet

    def settle(self, number):
        self.stop_writers()
        begun = time.monotonic()
        self.reference.extend()
        self.until(self.has_everything, "every consumer has got everything")
        self.lag = max(self.lag, time.monotonic() - begun)
        oldest = self.reference.oldest()
        for consumer in self.consumers:
            self.compare(consumer, consumer.segments, self.reference.items[consumer], oldest[consumer])
        self.complete()
        self.is_quiet = True
        self.measure(number)

    def has_everything(self):
        # What the server writes by itself, a renewed capture for instance, comes behind what was read.
        self.server.check()
        head = json.loads(self.program.run("status", self.database, "--json").stdout)["head"]
        if head != self.reference.token:
            self.reference.extend()
        return all(consumer.token == head for consumer in self.consumers)

    def compare(self, consumer, segments, items, oldest, is_cut=False):
        places = {made: place for place, made in enumerate(items)}
        if len(places) != len(items):
            raise Wrong(f"{consumer.name}: the history shows something twice")
        end = 0
        for number, segment in enumerate(segments):
            if not segment.items:
                continue
            # After a restore it may have begun before the history was read here, and some of that be trimmed since.
            skipped = 0
            if number == 0 and segment.items[0] not in places:
                skipped = next((n for n, made in enumerate(segment.items) if made in places), len(segment.items))
                if self.counts["restores by mv"] + self.counts["restores by backup"] == 0 and not is_cut:
                    raise Wrong(f"{consumer.name}: {skipped} items come first that are not in the history")
            got = segment.items[skipped:]
            begin = places[got[0]] if got else end
            is_free = consumer.is_careless or segment.is_free
            if begin < end or (not is_free and (number or (begin and not skipped))):
                raise Wrong(f"{consumer.name}: segment {number} begins at {begin}, the one before ended at {end}")
            if consumer.keeps == "token" and is_free and oldest is not None and begin > max(end, oldest):
                raise Wrong(f"{consumer.name}: lost from {end} to {begin}, although {oldest} can still be read")
            expected = items[begin: begin + len(got)]
            if got[: len(expected)] != expected:
                at = next(n for n, (a, b) in enumerate(zip(got, expected)) if a != b)
                texts = [clients.TEXTS.get(made, "something else") for made in (got[at], expected[at])]
                raise Wrong(f"{consumer.name}: {at} items after {begin} it got {texts[0]}, and the history has {texts[1]}")
            if len(got) > len(expected) and not is_cut:
                raise Wrong(f"{consumer.name}: got {len(got) - len(expected)} items that are not in the history")
            end = begin + len(expected)
        if end != len(items) and not is_cut and oldest is not None and not (consumer.is_careless and oldest == len(items)):
            raise Wrong(f"{consumer.name}: got {end} of {len(items)} items")

    def complete(self):
        held = {row[0].decode() for row in self.store.ask("SELECT writer || ':' || n FROM ledger")}
        shown = {context for context in self.reference.contexts}
        if missing := held - shown - self.already:
            raise Wrong(f"not in the history: {sorted(missing)[:5]}")
        if strange := shown - held:
            raise Wrong(f"in the history only: {sorted(strange)[:5]}")
        if twice := [c for c, count in self.reference.contexts.items() if count != 1]:
            raise Wrong(f"twice in the history: {twice[:5]}")
        loose = {(w.decode(), n) for w, n in self.store.ask("SELECT DISTINCT writer, n FROM loose")}
        if missing := loose - set(self.reference.loose) - getattr(self, "already_loose", set()):
            raise Wrong(f"untagged, not in the history: {sorted(missing)[:5]}")
        if torn := [at for at, count in self.reference.loose.items() if count != 3]:
            # What was trimmed may have been in the middle of a run, never of a statement.
            raise Wrong(f"an untagged statement is torn: {torn[:5]}")
        self.store.integrity()

    def measure(self, number):
        expected = len(self.consumers) + 1

        def is_quiet():
            said = self.server.ask(operation="status", database=self.database)
            self.last = said.get("server") or {}
            return self.last.get("connections") == expected and self.last["subscriptions"] == len(self.consumers) and self.last["queuedBytes"] == 0

        try:
            self.until(is_quiet, "nobody but the consumers is connected")
        except Wrong as error:
            raise Wrong(f"{error}; {json.dumps(self.last)}")
        # Commands of reload kinds end.
        time.sleep(1.5)
        pid = self.server.process.pid
        now = {"descriptors": self.server.descriptors(), "threads": len(os.listdir(f"/proc/{pid}/task")), "memory": self.server.memory("VmRSS")}
        # While one connection holds a lock, SQLite keeps the descriptors of those that were closed, for the next that are opened.
        kept = now["descriptors"]["a.db"] - now["descriptors"]["a.db-wal"]
        # The second database, while it is served, has a timer besides its files.
        other = 1 if now["descriptors"]["b.db"] else 0
        now["count"] = sum(count for kind, count in now["descriptors"].items() if not kind.startswith("b.db")) - kept - other
        self.server.quiet.append(now)
        first, warm = self.server.quiet[0], max(quiet["memory"] for quiet in self.server.quiet[:3])
        line = (f"{number}: {self.counts['transactions']} transactions, {self.delivered} items; server {self.server.lives}: {now['count']} descriptors ({first['count']} first) and {kept} kept, "
                f"{now['threads']} threads, {now['memory']} KiB ({warm} warm)")
        print(line, flush=True)
        if now["count"] > first["count"] + 2:
            raise Wrong(f"descriptors: {first['descriptors']} became {now['descriptors']}")
        if kept > KEPT:
            raise Wrong(f"descriptors that SQLite keeps: {kept}")
        if now["threads"] > first["threads"]:
            raise Wrong(f"threads: {first['threads']} became {now['threads']}")
        if now["memory"] > min(warm + GROWTH, CEILING):
            raise Wrong(f"memory: {warm} KiB became {now['memory']}")

    def clean(self):
        self.is_over = True
        for writer in self.writers:
            writer.process.kill()
        for client in getattr(self, "clients", []):
            if client.ident:
                client.join(5)
        if hasattr(self, "server") and self.server.process and self.server.process.poll() is None:
            self.server.process.kill()
            self.server.process.wait()

    def figures(self):
        yield f"{self.counts['transactions']} transactions by {self.lives} lives of 5 writers, {self.counts['refused']} refused for want of patience"
        yield f"{self.delivered} items delivered, {sum(c.repeated for c in self.consumers)} of them again, {sum(c.reconnects for c in self.consumers)} connections of consumers"
        yield f"longest until all had everything: {self.lag:.1f} s, at most"
        if hasattr(self, "server"):
            yield f"{self.server.lives} servers, {self.server.processor:.1f} s of processor, {self.server.highest} KiB resident at most"
        yield ", ".join(f"{count} {what}" for what, count in sorted(self.counts.items()) if what not in ("transactions", "refused"))


def main():
    options = trial.arguments("A server under everything that may happen to it; nothing may be lost, doubled, torn or left over.", 5, [("gentle", "do not kill the server")])
    return trial.run(options, lambda program, folder: Soak(program, options.seed, options.minutes, folder, options.gentle))


if __name__ == "__main__":
    sys.exit(main())
