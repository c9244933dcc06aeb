"""The clients of the soak: durable consumers that must get everything, and others that behave badly."""
import json
import os
import random
import re
import select
import socket
import sys
import threading
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "RealInput"))

from replay import Wrong, parse

NUMBERS = re.compile(rb'"transaction":\d+,"index":\d+,')
SUFFIX = b',"subscription":"s"}'
MARK = b'{"kind":"change",'


# The text of some items, to be shown if they differ; of all of them it would be too much.
TEXTS = {}


def item(line, tagged):
    """What a change line says, without what depends on how a run of untagged changes is divided."""
    made = hash(line if tagged else NUMBERS.sub(b"", line, count=1))
    if b'"table":"bulk"' not in line:
        TEXTS[made] = line.decode(errors="replace")
        if len(TEXTS) > 200_000:
            TEXTS.clear()
    return made


def opened(line):
    """The line of a transaction as its commit and the lines of its changes. No text in it can hold the mark: quotes are escaped."""
    head, _, changes = line[: -len(SUFFIX)].partition(b',"changes":[')
    return parse(head + b"}"), [MARK + change for change in changes[len(MARK): -1].split(b"," + MARK)] if changes != b"]" else []


def ending(commit, count):
    """What the end of a tagged transaction says; its token has the epoch in it, which a restore changes."""
    return hash((commit["transaction"], commit["author"], commit["context"], commit["at"], count))


class Filter:
    """What a consumer asked for, worked out a second time."""

    def __init__(self, table=(), op=(), author=(), not_author=()):
        self.table, self.op, self.author, self.not_author = table, op, author, not_author

    @property
    def fields(self):
        named = {"table": self.table, "op": self.op, "author": self.author, "not-author": self.not_author}
        return {name: list(values) for name, values in named.items() if values}

    def matches(self, change):
        author = change["author"] or ""
        return ((not self.table or change["table"] in self.table) and (not self.op or change["op"] in self.op)
                and (not self.author or author in self.author) and author not in self.not_author)


class Segment:
    """What came without a break from one position on."""

    def __init__(self, is_free=False):
        # Whether it may begin wherever the history began then, since nothing was held for it.
        self.is_free = is_free
        self.items, self.places, self.cursor = [], {}, 0


class Client(threading.Thread):
    """A thread with a connection now and then."""

    def __init__(self, soak, name):
        super().__init__(daemon=True, name=name)
        self.soak, self.error, self.socket, self.rest = soak, None, None, b""
        self.draw = random.Random(f"{soak.seed}:{name}")

    def run(self):
        try:
            while not self.soak.is_over:
                try:
                    self.live()
                except OSError:
                    self.soak.count("broken connections")
                finally:
                    self.hang_up()
                if not self.soak.is_over:
                    time.sleep(self.draw.random() * 0.1)
        except Wrong as error:
            self.error = error
        except Exception as error:
            self.error = Wrong("the test itself broke\n" + "".join(traceback.format_exception(error)))

    def connect(self, **options):
        self.rest = b""
        while not self.soak.is_over:
            made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            made.settimeout(0.2)
            try:
                made.connect(self.soak.path)
                self.socket = made
                return True
            except OSError:
                made.close()
                time.sleep(0.02)
        return False

    def hang_up(self):
        if self.socket:
            self.socket.close()
            self.socket = None

    def send(self, **request):
        request.setdefault("database", self.soak.database)
        self.socket.sendall(json.dumps(request).encode() + b"\n")

    def lines(self, size=1 << 16):
        """What can be read within a short while; None at the end."""
        try:
            data = self.socket.recv(size)
        except TimeoutError:
            return []
        if not data:
            return None
        *lines, self.rest = (self.rest + data).split(b"\n")
        return lines


class Consumer(Client):
    """A durable consumer. It keeps its last token, or has the store keep its position, and compares what comes again."""

    def __init__(self, soak, name, filter, group="row", keeps="token", is_careless=False):
        super().__init__(soak, name)
        self.filter, self.group, self.keeps, self.is_careless = filter, group, keeps, is_careless
        self.token, self.segments, self.former, self.reasons = None, [Segment()], [], []
        # Set when the store was restored, until this consumer was told.
        self.is_restored = False
        # Whether the store's consumer of that name stands no further on than this one, so that nothing is trimmed before it reads it.
        self.is_held = not is_careless
        self.drop = threading.Event()
        self.pending, self.acknowledged, self.asked = [], 0.0, None
        self.notices = self.reconnects = self.repeated = 0

    @property
    def segment(self):
        return self.segments[-1]

    @property
    def count(self):
        return sum(len(segment.items) for segment in self.segments)

    def live(self):
        if not self.connect():
            return
        self.reconnects += 1
        request = {"operation": "subscribe", "subscription": "s", "bookmark-interval": "1s", "group": self.group, **self.filter.fields}
        if self.keeps == "position":
            request["consumer"] = self.name
        else:
            request["since"] = self.token or "oldest"
        self.send(**request)
        self.pending = []
        self.drop.clear()
        while not self.soak.is_over and not self.drop.is_set():
            lines = self.lines()
            if lines is None:
                return
            for line in lines:
                if not self.take(line):
                    return
            self.acknowledge()
        if self.is_careless and self.drop.is_set():
            time.sleep(self.draw.random() * 8)

    def acknowledge(self):
        if self.token is None or self.is_careless or self.is_restored or time.monotonic() < self.acknowledged + 0.3 or self.token == self.asked:
            return
        self.asked, self.acknowledged = self.token, time.monotonic()
        self.segment.places[self.token] = self.segment.cursor
        self.send(operation="acknowledge", consumer=self.name, token=self.token)

    def take(self, line):
        """Takes a line; false where it was the last."""
        if line.startswith(b'{"kind":"change"'):
            if not line.endswith(SUFFIX):
                raise Wrong(f"a change without its subscription: {line[:200]!r}")
            self.pending.append(line[: -len(SUFFIX)] + b"}")
            return True
        if line.startswith(b'{"kind":"transaction"') and line.endswith(SUFFIX):
            said, changes = opened(line)
            self.add([item(change, said["tagged"]) for change in changes], said)
            return True
        said = parse(line)
        kind = said["kind"]
        if self.pending and kind not in ("commit", "acknowledged", "error"):
            if kind in ("bye", "expired"):
                # What has no commit has not happened.
                self.pending = []
            else:
                raise Wrong(f"a {kind} line inside a transaction")
        if kind == "commit":
            if said["changes"] != len(self.pending) or not self.pending:
                raise Wrong(f"commit says {said['changes']} changes, {len(self.pending)} came")
            self.add([item(change, said["tagged"]) for change in self.pending], said)
            self.pending = []
        elif kind == "acknowledged":
            self.is_held = True
        elif kind == "bookmark":
            self.token = said["token"]
        elif kind == "hello":
            self.begin(said)
        elif kind == "expired":
            self.expire(said)
        elif kind in ("schema", "gap"):
            self.notices += 1
            self.token = said.get("token") or self.token
        elif kind == "bye":
            self.soak.count(f"bye {said['reason']}")
            return False
        elif kind == "error":
            is_trimmed = said["code"] == "historyTokenExpired" and not self.is_held
            if said["code"] not in ("temporary", "storeUnavailable") and not is_trimmed and not self.is_restored:
                raise Wrong(f"an error: {line[:300].decode()}")
            self.soak.count(f"error {said['code']}")
            return said.get("operation") == "acknowledge"
        return True

    def add(self, items, commit):
        if self.is_restored and self.soak.is_calm:
            raise Wrong("a transaction after the store was restored, and not told so before")
        if commit["tagged"]:
            items.append(ending(commit, len(items)))
        segment = self.segment
        again = segment.items[segment.cursor: segment.cursor + len(items)]
        if again != items[: len(again)]:
            raise Wrong(f"what comes again differs from what came, in transaction {commit['transaction']}")
        self.repeated += len(again)
        segment.items += items[len(again):]
        segment.cursor += len(items)
        self.token = commit["token"]
        self.soak.delivered += len(items)

    def begin(self, hello):
        token = hello["token"]
        if self.keeps == "position" and self.is_restored:
            # The position in the restored store is as old as the copy.
            self.rotate("position restored")
        if self.token is None:
            self.segment.places[token] = 0
        elif self.keeps == "position":
            if token not in self.segment.places:
                raise Wrong("the store's position of a consumer is none that was acknowledged")
            self.segment.cursor = self.segment.places[token]
        elif token != self.token:
            raise Wrong("hello has another token than the one that was given")
        self.token = token

    def expire(self, line):
        reason = line["reason"]
        self.reasons.append(reason)
        self.soak.count(f"expired {reason}")
        if self.is_restored:
            if reason not in ("store-restored", "store-replaced", "history-dropped"):
                raise Wrong(f"after a restore the reason is {reason}")
            self.rotate(reason)
        elif reason == "trimmed" and not self.is_held:
            self.segments.append(Segment(is_free=True))
            self.token = self.asked = None
        else:
            raise Wrong(f"expired for no reason: {json.dumps(line)}")

    def rotate(self, reason):
        self.former, self.segments, self.token, self.asked = self.segments, [Segment(is_free=True)], None, None
        self.is_restored = self.is_held = False


class Slow(Client):
    """Reads 1 KB a second."""

    def live(self):
        if self.soak.is_quiet or not self.connect():
            return time.sleep(0.1)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.send(operation="subscribe", subscription="s", since="oldest")
        while not self.soak.is_over and not self.soak.is_quiet:
            time.sleep(1)
            if self.lines(1024) is None:
                return


class Never(Client):
    """Asks for everything and reads nothing, until the server ends it."""

    def live(self):
        if self.soak.is_quiet or not self.connect():
            return time.sleep(0.1)
        begun = time.monotonic()
        for name in ("s", "t", "u"):
            self.send(operation="subscribe", subscription=name, since="oldest")
        poll, server = select.poll(), self.soak.server.process.pid
        poll.register(self.socket, select.POLLHUP)
        while not self.soak.is_over and not self.soak.is_quiet:
            if poll.poll(200):
                if server == self.soak.server.process.pid and time.monotonic() > begun + 30:
                    self.soak.count("let go for being slow")
                return


class Garbage(Client):
    """Sends what is no request, much of it, or half of one."""

    WORDS = ["operation", "subscribe", "subscription", "s", "since", "oldest", "hw1.AAAA", "results", "query", "SELECT 1", "wait", "token",
             "table", ["ledger"], [None], {}, None, True, 1, -1, 2**70, 1e300, "\0", "🦊", "unsubscribe", "acknowledge", "consumer", "limit", "timeout"]

    def live(self):
        if self.soak.is_quiet or not self.connect():
            return time.sleep(0.1)
        for _ in range(self.draw.randrange(1, 12)):
            kind = self.draw.randrange(6)
            if kind == 0:
                data = self.draw.randbytes(self.draw.randrange(1, 3000))
            elif kind == 1:
                data = b"x" * (70 << 10)
            elif kind == 2:
                data = b"[" * self.draw.choice((10, 1000, 60000)) + b"\n"
            elif kind == 3:
                data = b'{"operation":"ping","request":"' + bytes(self.draw.choices(b'\\"u0d8{}\xff\x00\x1f', k=20)) + b'"}\n'
            else:
                fields = {str(self.draw.choice(self.WORDS)): self.draw.choice(self.WORDS) for _ in range(self.draw.randrange(5))}
                fields["operation"] = self.draw.choice(self.WORDS)
                data = json.dumps(fields).encode() + b"\n"
            self.socket.sendall(data)
            self.soak.count("garbage")
            if self.draw.random() < 0.5 and self.lines() is None:
                return
        if self.draw.random() < 0.3:
            self.socket.shutdown(socket.SHUT_WR)
            self.lines()


class Visitor(Client):
    """Comes, asks this and that, reads some of it, and goes without a word."""

    def live(self):
        if self.soak.is_quiet or not self.connect():
            return time.sleep(0.1)
        self.soak.count("visits")
        for n in range(self.draw.randrange(1, 10)):
            kind, name = self.draw.randrange(9), f"v{n}"
            if kind == 0:
                self.send(operation="subscribe", subscription=name, since="oldest", group=self.draw.choice(("row", "transaction")))
            elif kind == 1:
                self.send(operation="subscribe", subscription=name, snapshot=self.draw.choice(("initial", "only")))
            elif kind == 2:
                self.send(operation="results", subscription=name, query="SELECT writer, n FROM total", key=["writer"])
            elif kind == 3:
                self.send(operation="subscribe", subscription=name, timeline=["Told"])
            elif kind == 4:
                self.send(operation="status")
            elif kind == 5:
                self.send(operation="unsubscribe", subscription=f"v{self.draw.randrange(10)}")
            elif kind == 6:
                self.send(operation="subscribe", subscription=name, since="oldest", **{"no-follow": True, "limit": self.draw.randrange(5)})
            elif kind == 7:
                self.send(operation="hello", request=n)
            else:
                self.send(operation="subscribe", subscription=name, timeout="1s", author=["nobody"])
            if self.draw.random() < 0.6 and self.lines(self.draw.choice((100, 5000, 65536))) is None:
                return
        end = time.monotonic() + self.draw.random() * 2
        while time.monotonic() < end and not self.soak.is_quiet:
            if self.lines() is None:
                return
