"""What the measurements share: the programs, scratch databases, medians and the table of results."""
import os
import shutil
import sqlite3
import subprocess
import tempfile

TASKS = """
CREATE TABLE tasks(id INTEGER PRIMARY KEY, title TEXT, priority INTEGER, score REAL);
CREATE INDEX tasks_by_title ON tasks(title);
CREATE INDEX tasks_by_priority ON tasks(priority);
"""


class Bench:
    """The programs under test and a folder that goes away."""

    def __init__(self, binary, programs, folder=None, results=None):
        self.binary, (self.writer, self.observer) = binary, programs
        self.folder = tempfile.mkdtemp(prefix="historywatch-benchmark-", dir=folder)
        self.results = [] if results is None else results
        # The counts that are above their limits.
        self.exceeded = []

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def database(self, name, schema=TASKS, track=None, journal="wal"):
        """A new database; `track` holds the options of `historywatch track`, None leaves it untracked."""
        path = self.path(name)
        remove(path)
        connection = sqlite3.connect(path)
        connection.execute(f"PRAGMA journal_mode = {journal}")
        connection.executescript(schema)
        connection.close()
        if track is not None:
            self.run("track", path, *track)
        return path

    def limited(self, what, found, limits, text):
        """A row for counts that have limits; one above its limit is remembered for --check."""
        held = all(value <= limit for value, limit in zip(found, limits))
        self.add(what, "≤ " + text(limits), text(found), held)
        if not held:
            self.exceeded.append(what)

    def run(self, *arguments, **options):
        return subprocess.run(
            [self.binary, *arguments], check=True, capture_output=True, text=True, **options).stdout

    def workload(self, path, mode, sql, count=1, before=None, synchronous="NORMAL", also=None):
        """Nanoseconds that a workload takes on a copy of a database."""
        copy = self.path("workload.db")
        remove(copy)
        shutil.copyfile(path, copy)
        command = [self.writer, "workload", "--mode", mode, "--sql", sql, "--count", str(count),
                   "--synchronous", synchronous]
        if before:
            command += ["--before", before]
        if also:
            command += ["--also", also]
        return int(subprocess.run(command + [copy], check=True, capture_output=True, text=True).stdout)

    def alternate(self, paths, rounds, **workload):
        """The times of a workload on several databases, in turns: {name: [nanoseconds]}."""
        times = {name: [] for name in paths}
        for turn in range(rounds + 1):
            names = list(paths) if turn % 2 else list(reversed(paths))
            for name in names:
                time = self.workload(paths[name], **workload)
                if turn:  # the first turn warms up
                    times[name].append(time)
        return times

    def add(self, what, reach, figure, reached=None):
        """A row of the table; `reached` is None where nothing is to be reached."""
        self.results.append((what, reach, figure, reached))
        word = {True: "yes", False: "NO", None: ""}[reached]
        print(f"  {what} | {reach} | {figure} | {word}", flush=True)


def remove(path):
    for suffix in ("", "-wal", "-shm", "-journal"):
        if os.path.exists(path + suffix):
            os.remove(path + suffix)


def median(values):
    return quantile(values, 0.5)


def quantile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def ratios(times, name, base):
    """How many times as long each round of one took as the same round of another."""
    return [a / b for a, b in zip(times[name], times[base])]


def spread(values):
    """The median and how far the middle half lies apart, as `1.23x (1.20 to 1.27)`."""
    return f"{median(values):.2f}x ({quantile(values, 0.25):.2f} to {quantile(values, 0.75):.2f})"


def memory(pid):
    """Resident memory of a process now and at its highest, in KiB."""
    fields = dict(line.split(":", 1) for line in open(f"/proc/{pid}/status") if ":" in line)
    return int(fields["VmRSS"].split()[0]), int(fields["VmHWM"].split()[0])
