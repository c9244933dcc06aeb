#!/usr/bin/env python3
"""The program under real conditions: every command, with each call that changes a file failing, and where there is no room.

    python3 Tests/ConditionTests/run.py --binary .build/release/historywatch [--whole] [--only WORD] [--keep]

- Calls: a library that is loaded before the system's lets the n-th call fail (EIO, ENOSPC) or end the program there, for
  n = 1, 2, … until the command does not come that far; that covers what does not go through SQLite: marker, snapshot,
  rename, link. Without --whole every few calls are tried.
- A full disk (a small tmpfs, made in a mount namespace of its own), few descriptors, little memory, a limit for the
  size of files, a directory that cannot be written to, and a writer that was stopped inside its transaction.

Afterwards the program must have said what failed on two lines at most, with no stored value, and ended with a code of the
contract, never by a signal; integrity_check is ok; tokens are honest; and the command does its work when it is run again.
The last line is `N passed, N failed`.
"""
import argparse
import ctypes
import json
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SECRET = "Sieglinde-4711"
CODES = {0, 1, 2, 3, 4, 5}
UNFINISHED = (".tmp", ".unfinished", ".recovering", "-replacing")


class Wrong(Exception):
    pass


class Scene:
    """A directory with a tracked store, a backup, a plan and a source, and what was promised of it."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.store = os.path.join(folder, "app.db")
        self.tokens = []

    def build(self):
        self.make(self.store)
        self.make(self.path("other.db"))
        self.run("track", self.store)
        self.tokens.append(self.token())
        self.run("write", self.store, "--author", "app", "UPDATE t SET v = 'x' WHERE id = 2")
        connection = sqlite3.connect(self.store)
        backup = sqlite3.connect(self.path("backup.db"))
        connection.backup(backup)
        backup.close()
        connection.close()
        self.tokens.append(self.token())
        self.run("write", self.store, "--author", "widget", "INSERT INTO t VALUES (4, 'late')")
        self.run("consumer", "create", self.store, "held", "--at", "oldest")
        self.run("track", self.path("other.db"))
        self.run("write", self.path("other.db"), "--author", "far", "INSERT INTO t VALUES (9, 'far')")
        self.make(self.path("plain.db"))
        os.mkdir(self.path("plan"))
        for name, sql in (("0001_lists", "CREATE TABLE lists(id INTEGER PRIMARY KEY)"),
                          ("0002_done", "UPDATE t SET v = 'done'; INSERT INTO lists DEFAULT VALUES")):
            with open(self.path("plan", name + ".sql"), "w") as file:
                file.write(sql + ";\n")
        return self

    def copy(self, folder):
        shutil.copytree(self.folder, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*-shm"))
        scene = Scene(self.program, folder)
        scene.tokens = self.tokens
        return scene

    def make(self, path):
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, v)")
        connection.executemany("INSERT INTO t VALUES(?, ?)", ((1, SECRET), (2, "b"), (3, "c")))
        connection.close()

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def token(self):
        return json.loads(self.run("status", "--json", self.store).stdout)["head"]

    def run(self, *arguments, code=0, **options):
        done = subprocess.run([self.program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=60, **options)
        if code is not None and done.returncode != code:
            raise Wrong(f"{arguments[0]} ended with {done.returncode}: {done.stderr.strip()}")
        return done

    def judge(self, done, killed=False):
        """What a command said, and the store that it left."""
        code = done.returncode
        if not (killed and code == 137):
            if code not in CODES:
                raise Wrong(f"ended with {code}: {done.stderr[:300]}")
            if code:
                lines = [line for line in done.stderr.splitlines() if line]
                if not any(line.startswith("historywatch: ") for line in lines):
                    raise Wrong(f"code {code} and no word why: {done.stderr!r}")
                if not any(line.startswith("hint: ") for line in lines):
                    raise Wrong(f"no hint: {done.stderr!r}")
            if SECRET in done.stderr:
                raise Wrong(f"a stored value: {done.stderr!r}")
        self.check_store()

    def check_store(self, restored=False):
        for name in ("app.db", "plain.db", "other.db", "backup.db"):
            if not os.path.exists(self.path(name)):
                if name == "app.db":
                    continue
                raise Wrong(f"{name} is gone")
            connection = sqlite3.connect(self.path(name), isolation_level=None, timeout=0)
            found = connection.execute("PRAGMA integrity_check").fetchall()
            if found != [("ok",)]:
                raise Wrong(f"{name}: {found}")
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
            connection.close()

    def check_tokens(self):
        for token in self.tokens:
            done = self.run("stream", self.store, "--since", token, "--no-follow", code=None)
            kinds = [json.loads(line)["kind"] for line in done.stdout.splitlines()]
            if done.returncode not in (0, 3, 4, 5) or (done.returncode == 3) != ("expired" in kinds):
                raise Wrong(f"a token: {done.returncode} {kinds} {done.stderr}")

    def check_leftovers(self, killed):
        # What a process was writing when it was killed nobody else can know to be of no use.
        left = [name for name in os.listdir(self.folder)
                if any(end in name for end in UNFINISHED) and not (killed and name.endswith(".tmp"))]
        if left:
            raise Wrong(f"{left} left")


# A command, and the codes with which it may end when what failed was done after all.
COMMANDS = {
    "track": (lambda s: ("track", s.path("plain.db")), {0}),
    "untrack": (lambda s: ("untrack", s.store, "t"), {0, 2, 5}),
    "drop": (lambda s: ("untrack", "--drop-history", s.store), {0, 5}),
    "write": (lambda s: ("write", s.store, "--author", "a", f"REPLACE INTO t VALUES (5, '{SECRET}')"), {0}),
    "trim": (lambda s: ("trim", s.store, "--keep-last", "1", "--force"), {0}),
    "create": (lambda s: ("consumer", "create", s.store, "new"), {0, 2}),
    "acknowledge": (lambda s: ("consumer", "acknowledge", s.store, "held", s.tokens[1]), {0}),
    "cursor": (lambda s: ("stream", s.store, "--no-follow", "--since", "oldest", "--cursor-file", s.path("cursor")), {0}),
    "status": (lambda s: ("status", s.store), {0}),
    "check": (lambda s: ("check", s.store), {0}),
    "migrate": (lambda s: ("migrate", s.store, "--plan", s.path("plan")), {0}),
    "beside": (lambda s: ("migrate", s.store, "--side-by-side", "--plan", s.path("plan")), {0}),
    "snapshot": (lambda s: ("snapshot", s.store, "--query", "SELECT id FROM t", "--output", s.path("facts.json")), {0}),
    "recover": (lambda s: ("recover", s.store, "--from", s.path("backup.db")), {0}),
    "diagnose": (lambda s: ("diagnose", s.store, "--output", s.path("diagnosis.json")), {0}),
    "apply": (lambda s: ("apply", s.store, "--from", s.path("other.db"), "--no-follow"), {0}),
}


def again(scene, name, killed=False):
    command, codes = COMMANDS[name]
    done = scene.run(*command(scene), code=None)
    if done.returncode not in codes:
        raise Wrong(f"the second time: {done.returncode} {done.stderr}")
    scene.check_store()
    scene.check_tokens()
    scene.check_leftovers(killed)


def attempt(test, template, name, killed=False, what="", **options):
    """Runs a command on a copy of the template where something goes wrong, and judges what is left."""
    folder = tempfile.mkdtemp(prefix="historywatch-", dir=test.parent)
    scene = template.copy(folder)
    try:
        environment = {key: value.replace("@", folder) for key, value in options.pop("env", {}).items()}
        done = scene.run(*COMMANDS[name][0](scene), code=None, env={**os.environ, **environment}, **options)
        scene.judge(done, killed)
        again(scene, name, killed)
        test.passed += 1
    except (Wrong, sqlite3.Error, subprocess.TimeoutExpired, ValueError) as error:
        test.failed += 1
        print(f"failed: {name}, {what}: {error}" + (f" in {folder}" if test.keep else ""))
    if not test.keep:
        shutil.rmtree(folder, ignore_errors=True)


def calls(test, template):
    """The n-th call fails, or is the last."""
    library = os.path.join(test.folder, "faults.so")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, os.path.join(HERE, "faults.c"), "-ldl"], check=True)
    counter = os.path.join(test.folder, "count")
    for name in COMMANDS:
        number, most = 1, 0
        manners = [("5", "input/output error"), ("28", "disk full"), ("0", "ended")]
        while True:
            for error, what in manners if test.whole else [manners[(number // test.stride) % 3]]:
                environment = {"LD_PRELOAD": library, "FAULT_UNDER": "@/", "FAULT_AT": str(number),
                               "FAULT_ERROR": error, "FAULT_COUNT": counter}
                if os.path.exists(counter):
                    os.unlink(counter)
                attempt(test, template, name, killed=error == "0", what=f"{what} at call {number}", env=environment)
                counted = int(open(counter).read()) if os.path.exists(counter) else 0
                most = max(most, counted)
            if counted < number:
                break
            number += 1 if test.whole else test.stride
        print(f"calls of {name}: {most}")


def limited(kind, amount):
    return lambda: resource.setrlimit(kind, (amount, amount))


def limits(test, template):
    for name in COMMANDS:
        for count in range(4, 24) if test.whole else (4, 6, 8, 10, 12, 16):
            attempt(test, template, name, what=f"{count} descriptors",
                    preexec_fn=limited(resource.RLIMIT_NOFILE, count))
        for size in (0, 512, 4096, 20000, 40000, 100000):
            attempt(test, template, name, what=f"files of {size} bytes",
                    preexec_fn=limited(resource.RLIMIT_FSIZE, size))


def memory(test, template):
    """The least with which a command does its work, and from there on never anything but that or an error."""
    for name in ("write", "migrate", "recover", "apply", "cursor"):
        for megabytes in (160, 200, 256, 400):
            attempt(test, template, name, what=f"{megabytes} MB",
                    preexec_fn=limited(resource.RLIMIT_AS, megabytes << 20))


def unwritable(test, template):
    """A user who may read the directory and not write to it."""
    if os.getuid() != 0:
        print("skipped: a directory of somebody else's, which only root can give away")
        return
    for name in COMMANDS:
        folder = tempfile.mkdtemp(prefix="historywatch-", dir=test.parent)
        scene = template.copy(folder)
        for place, _, files in os.walk(folder):
            os.chmod(place, 0o555)
            for file in files:
                os.chmod(os.path.join(place, file), 0o444)
        try:
            done = scene.run(*COMMANDS[name][0](scene), code=None, user=65534, group=65534, extra_groups=[])
            os.chmod(folder, 0o755)
            scene.judge(done)
            again(scene, name)
            test.passed += 1
        except (Wrong, sqlite3.Error) as error:
            test.failed += 1
            print(f"failed: {name}, an unwritable directory: {error}")
        shutil.rmtree(folder, ignore_errors=True)


def full_disk(test, template):
    """A disk with so many bytes left."""
    libc = ctypes.CDLL(None, use_errno=True)
    # 0x20000 is CLONE_NEWNS: what is mounted is seen by this process and what it starts.
    if os.getuid() != 0 or libc.unshare(0x20000) != 0:
        print("skipped: a full disk, which only root can make")
        return
    libc.mount(b"none", b"/", None, (1 << 18) | (1 << 14), None)
    disk = os.path.join(test.folder, "disk")
    os.mkdir(disk)
    for name in COMMANDS:
        for room in range(0, 260, 20) if test.whole else (0, 4, 40, 120):
            if libc.mount(b"none", disk.encode(), b"tmpfs", 0, b"size=2m") != 0:
                print("skipped: a full disk: there is no tmpfs")
                return
            scene = template.copy(disk)
            filler = os.path.join(disk, "filler")
            with open(filler, "wb", buffering=0) as file:
                try:
                    while True:
                        file.write(bytes(4096))
                except OSError:
                    pass
                file.truncate(max(0, file.tell() - (room << 10)))
            try:
                done = scene.run(*COMMANDS[name][0](scene), code=None)
                os.unlink(filler)
                scene.judge(done)
                again(scene, name)
                test.passed += 1
            except (Wrong, sqlite3.Error) as error:
                test.failed += 1
                print(f"failed: {name}, {room} KB of the disk left: {error}")
            libc.umount2(disk.encode(), 2)


def stopped(test, template):
    """A writer that stands still inside its transaction: readers go on, writers say why they do not."""
    for journal in ("wal", "delete"):
        folder = tempfile.mkdtemp(prefix="historywatch-", dir=test.parent)
        scene = template.copy(folder)
        sqlite3.connect(scene.store).execute(f"PRAGMA journal_mode = {journal}").connection.close()
        holder = subprocess.Popen(
            [sys.executable, "-c", "import sqlite3, sys\nc = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
             "c.execute('BEGIN IMMEDIATE')\nc.execute(\"INSERT INTO t VALUES (77, 'half')\")\n"
             "print(1, flush=True)\nsys.stdin.read()\nc.execute('COMMIT')", scene.store],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            holder.stdout.readline()
            holder.send_signal(signal.SIGSTOP)
            for name in ("cursor", "status", "check", "snapshot", "diagnose"):
                done = scene.run(*COMMANDS[name][0](scene), code=None)
                if done.returncode != 0:
                    raise Wrong(f"{name} beside a stopped writer: {done.returncode} {done.stderr}")
            for name in ("write", "trim", "create", "migrate", "untrack") if test.whole else ("write", "migrate"):
                done = scene.run(*COMMANDS[name][0](scene), code=None)
                if done.returncode != 1 or "locked" not in done.stderr or "hint: " not in done.stderr:
                    raise Wrong(f"{name} beside a stopped writer: {done.returncode} {done.stderr}")
            holder.send_signal(signal.SIGCONT)
            holder.stdin.close()
            holder.wait()
            lines = scene.run("stream", scene.store, "--since", scene.tokens[-1], "--no-follow").stdout
            if '"half"' not in lines:
                raise Wrong("what the writer committed in the end is missing")
            for name in ("write", "trim", "create", "migrate"):
                again(scene, name)
            test.passed += 1
        except (Wrong, sqlite3.Error) as error:
            test.failed += 1
            print(f"failed: a stopped writer, {journal}: {error}")
        finally:
            holder.kill()
            holder.wait()
        shutil.rmtree(folder, ignore_errors=True)


CONDITIONS = {"calls": calls, "limits": limits, "memory": memory, "unwritable": unwritable, "stopped": stopped,
              "full-disk": full_disk}


class Test:
    def __init__(self, options):
        self.passed = self.failed = 0
        self.whole, self.keep = options.whole, options.keep
        self.stride = 5
        # Where nothing waits for a disk, if there is such a place.
        self.parent = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.folder = tempfile.mkdtemp(prefix="historywatch-", dir=self.parent)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--whole", action="store_true", help="every call, in every manner")
    parser.add_argument("--only", choices=sorted(CONDITIONS))
    parser.add_argument("--keep", action="store_true", help="leave the files of what failed")
    options = parser.parse_args()
    test = Test(options)
    os.chmod(test.folder, 0o755)
    # Where the program was built may be closed to a user who is to run it.
    program = shutil.copy(options.binary, os.path.join(test.folder, "historywatch"))
    os.chmod(program, 0o755)
    template = Scene(program, os.path.join(test.folder, "template"))
    os.mkdir(template.folder)
    template.build()
    for name, condition in CONDITIONS.items():
        if options.only in (None, name):
            before = test.passed, test.failed
            condition(test, template)
            print(f"{name}: {test.passed - before[0]} passed, {test.failed - before[1]} failed", flush=True)
    shutil.rmtree(test.folder, ignore_errors=True)
    print(f"{test.passed} passed, {test.failed} failed")
    sys.exit(1 if test.failed else 0)


main()
