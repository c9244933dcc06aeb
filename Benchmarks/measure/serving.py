"""What `serve` costs: idle subscribers, many of them under load, and how much later a line comes over the socket."""
import json
import os
import socket
import subprocess
import sys
import time

from . import common
from .idle import cpu, switches
from .wake import TABLE, WRITER, times

# Connects and subscribes, then reads and counts lines until it is told to stop.
COUNTER = """
import json, resource, select, signal, socket, sys, time
path, count = sys.argv[1], int(sys.argv[2])
epoll, sockets, lines = select.epoll(), {}, {}
for _ in range(count):
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    made.connect(path)
    made.sendall(b'{"operation":"subscribe","subscription":"s","bookmark-interval":"0s"}\\n')
    while made.recv(1 << 16).count(b'"hello"') == 0:
        pass
    made.setblocking(False)
    sockets[made.fileno()] = made
    lines[made.fileno()] = 0
    epoll.register(made.fileno(), select.EPOLLIN)
print("ready", flush=True)
wanted = int(sys.argv[3])
done = set()
reads = 0
def going(*_):
    global wanted
    wanted = -1
signal.signal(signal.SIGTERM, going)
while wanted >= 0 and (not wanted or len(done) < count):
    for descriptor, _ in epoll.poll(0.5):
        data = sockets[descriptor].recv(1 << 18)
        reads += 1
        if not data:
            sys.exit("the server closed a connection")
        # A change and a commit of each transaction.
        lines[descriptor] += data.count(b"\\n")
        if wanted and lines[descriptor] >= 2 * wanted:
            done.add(descriptor)
used = resource.getrusage(resource.RUSAGE_SELF)
print(time.monotonic_ns(), min(lines.values()) // 2, max(lines.values()) // 2, reads, used.ru_utime + used.ru_stime)
"""
# Commits at a steady rate, and says when it was done and how many it had wanted to be elsewhere by then.
STEADY = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA synchronous = NORMAL")
rate, count = int(sys.argv[2]), int(sys.argv[3])
begin = time.monotonic()
for number in range(count):
    # Tagged ones are told apart, however many are read at once.
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("INSERT INTO history_author(name) VALUES('steady')")
    connection.execute("INSERT INTO tasks VALUES(NULL, 'steady', 1, 1.5)")
    connection.execute("DELETE FROM history_author")
    connection.execute("COMMIT")
    pause = begin + (number + 1) / rate - time.monotonic()
    if pause > 0:
        time.sleep(pause)
print(time.monotonic_ns(), time.monotonic() - begin)
"""


class Serving:
    """A server of one database."""

    def __init__(self, bench, name):
        self.path = bench.database(name, TABLE, track=["tasks"])
        self.socket = bench.path("socket")
        self.process = subprocess.Popen([bench.binary, "serve", self.path, "--socket", self.socket],
                                        stderr=subprocess.DEVNULL)
        self.pid = self.process.pid
        while True:
            try:
                self.connect().close()
                break
            except OSError:
                time.sleep(0.01)

    def connect(self):
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        made.connect(self.socket)
        return made

    def subscribe(self, count):
        made = [self.connect() for _ in range(count)]
        for one in made:
            one.sendall(b'{"operation":"subscribe","subscription":"s"}\n')
        for one in made:
            while b'"hello"' not in one.recv(1 << 16):
                pass
        return made

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def idle(bench, seconds):
    with Serving(bench, "idle.db") as server:
        server.subscribe(1)[0].close()
        time.sleep(2)
        base, descriptors = common.memory(server.pid)[0], server.descriptors()
        for count in (100, 1000):
            readers = server.subscribe(count)
            time.sleep(2)
            held = common.memory(server.pid)[0] - base
            if count == 100:
                wakes, busy = switches(server.pid)[0], cpu(server.pid)
                time.sleep(seconds)
                each, used = (switches(server.pid)[0] - wakes) / seconds, cpu(server.pid) - busy
                bench.add(f"100 idle subscribers for {seconds} s: wake-ups a second", "≤ 1", f"{each:.2f}", each <= 1.05)
                bench.add("100 idle subscribers: processor", "", f"{used / seconds / 10:.4f} %")
            else:
                bench.add("an idle subscriber holds, of 1,000", "≤ 64 KiB", f"{held / count:.1f} KiB "
                          f"(server alone {base / 1024:.1f} MB)", held / count <= 64)
            for one in readers:
                one.close()
            time.sleep(2)
        left = server.descriptors()
        bench.add("descriptors before and after 1,000 subscribers", "as many", f"{descriptors} and {left}", left == descriptors)
        bench.add("memory that stays after they are gone", "", f"{(common.memory(server.pid)[0] - base) / 1024:.1f} MB")


def load(bench, subscribers, rate, seconds, processes=2):
    count = rate * seconds
    with Serving(bench, "load.db") as server:
        readers = [subprocess.Popen([sys.executable, "-c", COUNTER, server.socket, str(subscribers // processes), str(count)],
                                    stdout=subprocess.PIPE, text=True) for _ in range(processes)]
        try:
            for reader in readers:
                reader.stdout.readline()
            busy = cpu(server.pid)
            writer = subprocess.run([sys.executable, "-c", STEADY, server.path, str(rate), str(count)], check=True,
                                    capture_output=True, text=True)
            written, took = writer.stdout.split()
            found = []
            for reader in readers:
                try:
                    found.append(reader.communicate(timeout=30)[0].split())
                except subprocess.TimeoutExpired:
                    reader.terminate()
                    found.append(reader.communicate()[0].split())
            used, high = cpu(server.pid) - busy, common.memory(server.pid)[1]
        finally:
            for reader in readers:
                reader.kill()
        least, reads = min(int(f[1]) for f in found), sum(int(f[3]) for f in found)
        late = max(int(f[0]) for f in found) - int(written)
        bench.add(f"{subscribers:,} subscribers, {rate:,} transactions/s wanted for {seconds} s", "all served",
                  f"{count / float(took):,.0f} written a second, {least:,} of {count:,} reached all, "
                  f"{late / 1e9:.2f} s after the last commit", least == count)
        bench.add("… processor", "", f"server {used / 1000:.1f} s, {used * 1e6 / count / subscribers:,.0f} ns a transaction and "
                  f"subscriber; readers {sum(float(f[4]) for f in found):.1f} s; {count * subscribers / reads:.1f} transactions a read")
        bench.add("… the server at most", "", f"{high / 1024:.1f} MB")


def lines(read):
    """When each line of an insert could be read."""
    seen, rest = {}, b""
    while data := read():
        at = time.monotonic_ns()
        *whole, rest = (rest + data).split(b"\n")
        for line in whole:
            if line.startswith(b'{"kind":"change"'):
                seen[json.loads(line)["after"]["id"]] = at
                yield seen
    yield seen


def delay(path, count, read):
    writer = subprocess.Popen([sys.executable, "-c", WRITER, path, "NORMAL", str(count)], stdout=subprocess.PIPE, text=True)
    for seen in lines(read):
        if len(seen) == count:
            break
    committed = times(writer.communicate()[0])
    return [(seen[n] - committed[n]) / 1000 for n in committed if n in seen]


def socket_delay(bench, count):
    with Serving(bench, "delay.db") as server:
        reader, = server.subscribe(1)
        found = delay(server.path, count, lambda: reader.recv(1 << 16))
        reader.close()
    return found


def pipe_delay(bench, count):
    path = bench.database("delay.db", TABLE, track=["tasks"])
    stream = subprocess.Popen([bench.binary, "stream", path], stdout=subprocess.PIPE)
    try:
        os.read(stream.stdout.fileno(), 1 << 16)  # hello
        return delay(path, count, lambda: os.read(stream.stdout.fileno(), 1 << 16))
    finally:
        stream.kill()
        stream.wait()
        stream.stdout.close()


def measure(bench, quick):
    idle(bench, 15 if quick else 45)
    over, pipe, apart = [], [], []
    for _ in range(2 if quick else 5):
        one, other = socket_delay(bench, 200), pipe_delay(bench, 200)
        over, pipe = over + one, pipe + other
        apart.append(common.median(one) - common.median(other))
    bench.add("COMMIT returned → line readable, socket and pipe of `stream`", "",
              f"p50 {common.median(over):.0f} and {common.median(pipe):.0f} µs, p99 {common.quantile(over, 0.99):.0f} and "
              f"{common.quantile(pipe, 0.99):.0f} µs")
    bench.add("… what the socket adds", "≤ 50 µs", f"{common.median(apart):.0f} µs ({min(apart):.0f} to {max(apart):.0f})",
              common.median(apart) <= 50)
    for subscribers, rate in ((1, 1000), (100, 1000), (1000, 100), (1000, 1000)):
        load(bench, subscribers, rate, 5 if quick else 10, processes=min(2, subscribers))
