"""How fast a store's history gets into NATS JetStream, and out of it into another store."""
import os
import shutil
import socket
import sqlite3
import subprocess
import time

from . import applying, common


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Server:
    """A NATS server of its own, with its files on the disk."""

    def __init__(self, bench):
        self.port, self.files = free_port(), bench.path("nats")
        program = shutil.which("nats-server", path=os.environ.get("PATH", "") + ":/usr/sbin")
        if program is None:
            raise OSError("there is no nats-server")
        self.process = subprocess.Popen(
            [program, "-js", "-sd", self.files, "-a", "127.0.0.1", "-p", str(self.port)], stderr=subprocess.DEVNULL)
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(0.02)

    def memory(self):
        return common.memory(self.process.pid)[1]

    def end(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.files, ignore_errors=True)


def small(bench, transactions):
    """A store with tagged transactions of one change each."""
    path = bench.database("relay-small.db", applying.TABLE, ["tasks"])
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA synchronous = OFF")
    for number in range(transactions):
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO history_author(name) VALUES('benchmark')")
        connection.execute("INSERT INTO tasks VALUES(?, ?, ?, 0)", (number, f"title {number}", number % 5))
        connection.execute("DELETE FROM history_author")
        connection.execute("COMMIT")
    connection.close()
    return path


def timed(command):
    """How long a command takes, and its memory at most in KiB."""
    begin = time.monotonic()
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0
    return time.monotonic() - begin, usage.ru_maxrss


def measure(bench, quick):
    transactions = 100 if quick else 500
    rounds = 3 if quick else 5
    big = applying.fill(bench, transactions)
    asked = subprocess.run(
        [bench.binary, "relay", big, "--to", "nats://127.0.0.1:1/S", "--no-follow"], capture_output=True, text=True)
    if "this build of" in asked.stderr:
        print("  passed over: the program was built without NATS (make nats)")
        return
    stores = [(big, transactions * 1000 + 10_000, "1,000 a transaction"),
              (small(bench, transactions * 100), transactions * 100, "one a transaction")]
    for path, changes, how in stores:
        there, back, peak, peak_back, server_peak = [], [], 0, 0, 0
        for number in range(rounds):
            server = Server(bench)
            try:
                url = f"nats://127.0.0.1:{server.port}/BENCHMARK"
                seconds, memory = timed([bench.binary, "relay", path, "--to", url, "--no-follow", "--create-stream"])
                there.append(changes / seconds)
                peak = max(peak, memory)
                target = bench.database(f"relay-target-{number}.db", applying.TABLE, ["tasks"])
                seconds, memory = timed([bench.binary, "apply", target, "--from", url, "--no-follow"])
                back.append(changes / seconds)
                peak_back = max(peak_back, memory)
                server_peak = max(server_peak, server.memory())
            finally:
                server.end()
        middle = common.median(there)
        bench.add(f"relay of {changes:,} changes, {how}, to a server on the disk, all confirmed",
                  "≥ 60,000 changes/s" if how.startswith("1,000") else "",
                  f"{middle:,.0f} ({min(there):,.0f} to {max(there):,.0f}), {peak / 1024:.1f} MB at most",
                  middle >= 60_000 if how.startswith("1,000") else None)
        bench.add(f"apply of the same from the server", "",
                  f"{common.median(back):,.0f} ({min(back):,.0f} to {max(back):,.0f}), {peak_back / 1024:.1f} MB at most; "
                  f"the server {server_peak / 1024:.0f} MB")
