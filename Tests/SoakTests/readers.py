"""The readers of the chain: streams whose every line is held against what the links say."""
import os
import random
import signal
import subprocess
import sys
import threading
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "RealInput"))

from replay import Wrong, parse


class Place:
    """Where a reader is in the chain."""

    def __init__(self, link=None, rest=(), is_free=True):
        # The last link, what its transaction has still to do, and whether anything may come next, since the reader was told so.
        self.link, self.rest, self.is_free = link, tuple(rest), is_free


class Reader(threading.Thread):
    """A stream that is started again whenever it ends, from the position that was kept."""

    def __init__(self, soak, name, options, keeps):
        super().__init__(daemon=True, name=name)
        self.soak, self.options, self.keeps = soak, options, keeps
        self.draw = random.Random(f"{soak.seed}:{name}")
        self.error = self.process = self.token = None
        self.place, self.places = Place(), {}
        # The links whose row in the table of changing shape did not come, and that no notice explained yet.
        self.owed, self.seen = [], set()
        self.links = self.changes = self.starts = self.repeated = 0
        self.told = []

    def run(self):
        try:
            while not self.soak.is_over:
                self.live()
        except Wrong as error:
            self.error = error
        except Exception as error:
            self.error = Wrong("the test itself broke\n" + "".join(traceback.format_exception(error)))
        finally:
            if self.process and self.process.poll() is None:
                self.process.kill()

    def live(self):
        since = {"token": ["--since", self.token or "oldest"], "file": ["--since", "oldest", "--cursor-file", self.soak.file(self.name)],
                 "consumer": ["--consumer", self.name]}[self.keeps]
        errors = open(self.soak.file(self.name + ".errors"), "wb")
        self.starts += 1
        self.process = subprocess.Popen(
            [self.soak.program.binary, "stream", self.soak.database, *since, "--on-expired", "oldest", "--bookmark-interval", "1s", *self.options],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors)
        pending = []
        for raw in self.process.stdout:
            if not raw.endswith(b"\n"):
                break  # it was killed in the middle of it
            self.take(parse(raw), pending)
        code = self.process.wait()
        errors.close()
        # Killed, or for a passing reason: the store is being restored, or everybody is writing.
        if code not in (0, 1, 143, -signal.SIGKILL, -signal.SIGTERM):
            with open(errors.name, errors="replace") as file:
                raise Wrong(f"a stream ended with {code}: {file.read()[-300:]}")

    def take(self, line, pending):
        kind = line["kind"]
        if kind == "change":
            pending.append(line)
            return
        if pending and kind not in ("commit", "bye", "expired"):
            raise Wrong(f"a {kind} line inside a transaction")
        if kind in ("commit", "transaction"):
            changes = line["changes"] if kind == "transaction" else pending
            if kind == "commit" and line["changes"] != len(changes):
                raise Wrong(f"commit says {line['changes']} changes, {len(changes)} came")
            self.transaction(line, changes)
        elif kind == "hello":
            self.begin(line)
        elif kind == "expired":
            self.expire(line["reason"])
        elif kind in ("schema", "gap"):
            if line["table"] != "shape":
                raise Wrong(f"{kind} of {line['table']}, whose shape nobody changes")
            self.told.append(line.get("reason") or line.get("action"))
            self.owed = []
            if self.place.rest == ("s",):
                # Notices stand between transactions: that row will not come any more.
                self.place = Place(self.place.link, (), False)
        elif kind == "bye" and line["reason"] not in ("signal", "error"):
            raise Wrong(f"bye {line['reason']}")
        pending.clear()
        if token := line.get("token"):
            self.token, self.places[token] = token, self.place

    def begin(self, hello):
        token = hello["token"]
        if hello["resume"] == "reset" or not self.places:
            self.place = Place()
        elif token not in self.places:
            raise Wrong("hello has a position that was never given")
        else:
            self.place = self.places[token]

    def expire(self, reason):
        self.soak.count(f"told {reason}")
        allowed = self.soak.trims if reason == "trimmed" else self.soak.restores
        if not allowed:
            raise Wrong(f"told {reason}, and nothing of the kind was done")
        self.place = Place()

    def transaction(self, line, changes):
        links = [change["after"] for change in changes if change["table"] == "links"]
        if line["tagged"] and (len(links) != 1 or links[0]["writer"] != line["author"]):
            raise Wrong(f"a tagged transaction of {line['author']} with {len(links)} links")
        for change in changes:
            self.change(change)
        if line["tagged"] and any(step != "s" for step in self.place.rest):
            raise Wrong(f"a tagged transaction ends before {self.place.rest[0]}")

    def change(self, change):
        self.changes += 1
        if change["table"] == "links":
            self.link(change["after"])
            return
        place = self.place
        if place.link is None:
            # The history may begin within a run of untagged changes.
            if not place.is_free:
                raise Wrong(f"a change of {change['table']} that no link told of")
            return
        step = place.rest[0] if place.rest else None
        if change["table"] == "shape":
            said, link = "s", change["after"]["link"]
        else:
            link, part = change["key"]["id"], change["key"]["part"]
            said = f"{change['op'][0]}{part}"
            if said[0] == "i" and change["after"]["body"] != f"{link}:{part}":
                raise Wrong("a row with another one's text")
        if said != step or link != place.link["id"]:
            raise Wrong(f"{said} of {link} where {step} of {place.link['id']} is next")
        self.place = Place(place.link, place.rest[1:], False)

    def link(self, link):
        before = self.place
        if before.link is not None:
            if before.rest == ("s",):
                self.owed.append(before.link["id"])
            elif before.rest:
                raise Wrong(f"{before.link['id']} lacks {' '.join(before.rest)}")
            if link["parent"] != before.link["id"] or link["place"] != before.link["place"] + 1:
                raise Wrong(f"link {link['place']} with parent {link['parent']} follows link {before.link['place']}, {before.link['id']}, "
                            "and nothing said why")
        self.links += 1
        self.repeated += link["id"] in self.seen
        self.seen.add(link["id"])
        self.place = Place(link, link["program"].split(), False)

    def hold(self, body):
        """Has the stream stand still while something is done."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGSTOP)
            try:
                body()
            finally:
                self.process.send_signal(signal.SIGCONT)

    def stop(self):
        """Ends the stream, in order or not; it goes on by itself."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(self.draw.choice((signal.SIGKILL, signal.SIGTERM)))
