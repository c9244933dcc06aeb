#!/usr/bin/env python3
"""The kill test of `relay`: kill -9 of relay, servers and followers, and every change is in the stream once and in order.

    python3 Tests/KillTests/relay.py --binary .build/nats/release/historywatch [--rounds 25] [--nodes 1|3] [--seed N] [--keep]

It starts NATS servers of its own on the loopback. In each round a store is written to, by transactions with and without an
author, some larger than a message; it is relayed, sometimes by two relays at once, and another store follows by
`apply --from nats://`. Whoever is the victim is killed at a random moment, many times. With one server a crash sometimes takes
it back to an earlier state of its files, as a power failure does to what was not synced. With three one after the other is
killed and comes back. When all is quiet the rest is relayed, and

- the store that followed all the time has the same rows, value by value, and the same changes in the same order;
- so has a fresh store that gets everything from the stream's first message on: nothing in it is missing, doubled or moved;
- every tagged transaction is there once, whole, and under its author; integrity_check is ok.

The last line is `N passed, N failed`.
"""
import argparse
import json
import os
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import traceback

sys.dont_write_bytecode = True
import sync
from sync import Wrong

SIZES = (1, 1, 2, 5, 40, 40, 3000)


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Servers:
    """One NATS server, or three that form a cluster."""

    def __init__(self, folder, nodes):
        self.folder, self.nodes = folder, nodes
        ports = free_ports(2 * nodes)
        self.clients, self.routes = ports[:nodes], ports[nodes:]
        self.processes = [None] * nodes
        for node in range(nodes):
            self.start(node)

    def files(self, node):
        return os.path.join(self.folder, f"node{node}")

    def start(self, node):
        arguments = ["nats-server", "-js", "-sd", self.files(node), "-a", "127.0.0.1", "-p", str(self.clients[node]),
                     "-n", f"node{node}"]
        if self.nodes > 1:
            routes = ",".join(f"nats://127.0.0.1:{port}" for port in self.routes)
            arguments += ["--cluster_name", "kill", "--cluster", f"nats://127.0.0.1:{self.routes[node]}", "--routes", routes]
        with open(os.path.join(self.folder, f"node{node}.log"), "ab") as log:
            self.processes[node] = subprocess.Popen(arguments, stdout=log, stderr=log)
        deadline = time.time() + 20
        while time.time() < deadline:
            try:
                socket.create_connection(("127.0.0.1", self.clients[node]), 1).close()
                return
            except OSError:
                time.sleep(0.02)
        raise Wrong("a NATS server does not start")

    def kill(self, node):
        self.processes[node].kill()
        self.processes[node].wait()

    def keep(self, node):
        """Keeps a copy of the files as they are at one moment."""
        os.kill(self.processes[node].pid, signal.SIGSTOP)
        copy = self.files(node) + ".kept"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.files(node), copy)
        os.kill(self.processes[node].pid, signal.SIGCONT)

    def take_back(self, node):
        """Puts the copy in the place of the files of a killed server: what came since was not synced."""
        shutil.rmtree(self.files(node))
        shutil.copytree(self.files(node) + ".kept", self.files(node))

    def end(self):
        for process in self.processes:
            if process and process.poll() is None:
                process.kill()
                process.wait()

    @property
    def url(self):
        return "nats://" + ",".join(f"127.0.0.1:{port}" for port in self.clients) + "/KILLED"


class Round(sync.Round):
    def __init__(self, binary, folder, seed, nodes, turns):
        super().__init__(binary, folder, seed)
        self.fresh = os.path.join(folder, "fresh.db")
        self.turns, self.kills, self.taken_back = turns, {"relay": 0, "server": 0, "apply": 0}, 0
        self.servers = Servers(folder, nodes)
        self.running = {}

    def command(self, who):
        if who.startswith("relay"):
            return ["relay", self.source, "--to", self.servers.url, "--create-stream", "--replicas", str(self.servers.nodes)]
        return ["apply", self.target, "--from", self.servers.url, "--store", self.identity]

    def begin(self, who):
        with open(os.path.join(self.folder, who + ".log"), "ab") as log:
            self.running[who] = subprocess.Popen([self.binary, *self.command(who)], stdout=log, stderr=log)

    def log(self, who):
        with open(os.path.join(self.folder, who + ".log"), encoding="utf-8") as log:
            return log.read()

    def check_running(self):
        for who, process in self.running.items():
            code = process.poll()
            if code is None:
                continue
            # There is no stream before the first relay has made one.
            if who == "apply" and "no stream" in self.log(who):
                open(os.path.join(self.folder, who + ".log"), "wb").close()
                self.begin(who)
                continue
            raise Wrong(f"{who} ended with {code}: {self.log(who)[-500:]}")

    def turn(self):
        """Lets all run for a while, and kills somebody."""
        time.sleep(self.rng.random() ** 2 * 0.6 + 0.02)
        self.check_running()
        victim = self.rng.choice(["relay", "relay", "relay2", "apply", "server", "server"])
        if victim == "server":
            node = self.rng.randrange(self.servers.nodes)
            keeps = self.servers.nodes == 1 and self.rng.random() < 0.5
            if keeps:
                self.servers.keep(node)
                time.sleep(self.rng.random() * 0.1)
            self.servers.kill(node)
            if keeps:
                self.servers.take_back(node)
                self.taken_back += 1
            time.sleep(self.rng.random() ** 2 * 0.3)
            self.servers.start(node)
            self.kills["server"] += 1
            return
        process = self.running.pop(victim, None)
        if process:
            process.kill()
            process.wait()
            self.kills["apply" if victim == "apply" else "relay"] += 1
        if victim != "relay2" or not process:
            self.begin(victim)

    def to_the_end(self, *arguments):
        """Runs a command until it succeeds; servers that were killed need a while."""
        deadline = time.time() + 60
        while True:
            done = subprocess.run([self.binary, *arguments, "--no-follow"], capture_output=True, timeout=60)
            if done.returncode == 0:
                return
            if done.returncode != 1 or time.time() > deadline:
                raise Wrong(f"{arguments[0]} ended with {done.returncode}: {done.stderr.decode()}")
            time.sleep(0.1)

    def prepare(self):
        for path in (self.source, self.target, self.fresh):
            connection = sqlite3.connect(path)
            connection.execute("PRAGMA journal_mode = wal")
            connection.executescript(sync.SCHEMA)
            connection.close()
            self.run("track", path)
        self.identity = json.loads(self.run("status", self.source, "--json"))["store"]

    def play(self):
        self.prepare()
        stop = threading.Event()
        writer = threading.Thread(
            target=sync.write, args=(self.source, random.Random(self.seed + 1), stop, self.seed, SIZES))
        writer.start()
        try:
            self.begin("relay")
            self.begin("apply")
            for _ in range(self.turns):
                self.turn()
        finally:
            stop.set()
            writer.join()
        self.check_running()
        for process in self.running.values():
            process.kill()
            process.wait()
        self.to_the_end(*self.command("relay"))
        self.to_the_end(*self.command("apply"))
        self.compare()
        follower, self.target = self.target, self.fresh
        self.to_the_end(*self.command("apply"))
        self.compare()
        self.target = follower
        self.count = len(self.changes(self.source)[0])

    def end(self):
        for process in self.running.values():
            if process.poll() is None:
                process.kill()
                process.wait()
        self.servers.end()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--nodes", type=int, choices=(1, 3), default=1)
    parser.add_argument("--turns", type=int, default=12, help="kills in a round")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--keep", action="store_true", help="keep the files of rounds that failed")
    options = parser.parse_args()
    failed, changes, taken_back = 0, 0, 0
    kills = {"relay": 0, "server": 0, "apply": 0}
    begin = time.time()
    for number in range(options.rounds):
        folder = tempfile.mkdtemp(prefix="historywatch-relay-")
        each = Round(os.path.abspath(options.binary), folder, options.seed + number, options.nodes, options.turns)
        try:
            each.play()
            changes += each.count
        except Exception as error:  # noqa: BLE001
            failed += 1
            print(f"FAILED  round {number} (--seed {options.seed + number} --rounds 1): {error}")
            if not isinstance(error, Wrong):
                traceback.print_exc()
            if options.keep:
                print(f"        kept in {folder}")
                folder = None
        finally:
            each.end()
        taken_back += each.taken_back
        for victim in kills:
            kills[victim] += each.kills[victim]
        if folder:
            shutil.rmtree(folder, ignore_errors=True)
    print(f"{changes} changes, {options.nodes} server(s); killed: " + ", ".join(f"{k} {v}" for k, v in kills.items())
          + f"; {taken_back} times a server lost its newest messages; {time.time() - begin:.0f} s")
    print(f"{options.rounds - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
