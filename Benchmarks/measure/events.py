"""Counts of what a commit costs those who observe, which do not depend on the machine and so have limits.

How often the store is looked at while a commit is on its way depends on the time, so a count varies by some per cent;
a limit is a fifth and more above it. Whoever makes something cheaper lowers it.
"""
import re
import shutil
import subprocess

from . import crowds

COUNTED = ("sqlite3_step", "sqlite3_prepare_v3", "malloc")
# What a commit, or each further observer or reader at a commit, may take at most:
# instructions, statements run, statements compiled, allocations.
LIMITS = {
    "store.write, one observer": (780_000, 38, 1.5, 440),
    "a further observer with the same interest": (5_000, 0.5, 0.5, 1),
    "a further observer with a row of its own": (7_500, 0.5, 0.5, 1),
    # It varies with how many readers had come back; reading by oneself, which it guards against, is 1,132,000.
    "a delivery to a waiting reader": (300_000, 8, 3, 200),
}


def counts(bench, mode, path, **options):
    """The least of three runs: on a busy machine a commit is looked at more often before it is there."""
    return [min(found) for found in zip(*(count(bench, mode, path, **options) for _ in range(3)))]


def count(bench, mode, path, **options):
    """Instructions, and calls of some functions, of a whole run: callgrind sees all of them."""
    profile = bench.path("callgrind.out")
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", bench.observer, mode, *words,
                    path], check=True, capture_output=True)
    names, called, found = {}, None, dict.fromkeys(("instructions", *COUNTED), 0)
    for line in open(profile):
        # A function has its name where it first comes, and later its number only.
        if name := re.match(r"(c?)fn=(\(\d+\))(?: (.+))?", line):
            if name[3]:
                names[name[2]] = re.sub(r"'\d+$", "", name[3].strip())
            if name[1]:
                called = names[name[2]]
        elif calls := re.match(r"calls=(\d+)", line):
            if called in found:
                found[called] += int(calls[1])
        elif total := re.match(r"totals: (\d+)", line):
            found["instructions"] = int(total[1])
    return list(found.values())


def slope(low, high, times):
    return [max(0, b - a) / times for a, b in zip(low, high)]


def limited(bench, what, found):
    bench.limited(what, found, LIMITS[what], lambda values: (
        f"{values[0]:,.0f} instructions, {values[1]:.1f} statements run and {values[2]:.1f} compiled, "
        f"{values[3]:.0f} allocations"))


def measure(bench, quick):
    if not shutil.which("valgrind"):
        return bench.add("what a commit costs those who observe", "", "skipped: no valgrind")
    path = crowds.database(bench, "events.db")

    def audience(count, interest="same"):
        return slope(*(counts(bench, "audience", path, observers=count, interest=interest, commits=commits)
                       for commits in (20, 120)), 100)

    one = audience(1)
    limited(bench, "store.write, one observer", one)
    limited(bench, "a further observer with the same interest", slope(one, audience(101), 100))
    limited(bench, "a further observer with a row of its own", slope(one, audience(101, "each"), 100))
    few, many = (slope(*(counts(bench, "readers", path, readers=readers, commits=commits) for commits in (5, 25)), 20)
                 for readers in (10, 60))
    limited(bench, "a delivery to a waiting reader", slope(few, many, 50))
