"""What it takes to observe inside a program: waking after a commit, and catching up on a long history."""
import os
import subprocess
import sys

from . import common, throughput, wake


def woken(bench, synchronous, count, by):
    """From COMMIT in another process until an observer in this one was told."""
    path = bench.database(f"observer-{synchronous}-{by}.db", wake.TABLE, ["tasks"])
    observer = subprocess.Popen([bench.observer, "wake", "--count", str(count), "--by", by, path],
                                stdout=subprocess.PIPE, text=True)
    try:
        observer.stdout.readline()
        committed = wake.times(subprocess.run(
            [sys.executable, "-c", wake.WRITER, path, synchronous, str(count)], check=True, capture_output=True,
            text=True).stdout)
        # It is gone, or about to be, once it has told all.
        lines, _ = observer.communicate(timeout=60)
    finally:
        if observer.poll() is None:
            observer.kill()
    delays = wake.delays(wake.times(lines), committed)
    what = "an observer's body is called" if by == "body" else "eventCounter is announced"
    bench.add(f"{what}, foreign writer, WAL {synchronous}", "none lost",
              f"{wake.figure(delays)}, {count - len(delays)} of {count} lost", len(delays) == count)


def catch_up(bench, quick):
    count = 200_000 if quick else 1_000_000
    for tagged, label in ((False, "untagged"), (True, "in transactions of one")):
        peaks, rates = [], []
        for size in (count // 10, count):
            path = throughput.fill(bench, "catchup.db", size, tagged)
            output = bench.path("catchup.txt")
            with open(output, "w") as file:
                process = subprocess.Popen([bench.observer, "catchup", path], stdout=file)
                _, status, usage = os.wait4(process.pid, 0)
            transactions, changes, time = map(int, open(output).read().split())
            assert status == 0 and changes == size, (status, changes)
            peaks.append(usage.ru_maxrss)
            rates.append(changes / time * 1e9)
            common.remove(path)
        bench.add(f"catching up on {count:,} changes {label}", "≥ 0.8x of the rate of a tenth of them",
                  f"{rates[1]:,.0f} changes/s of one core, {transactions:,} transactions; "
                  f"{rates[1] / rates[0]:.2f}x", rates[1] >= 0.8 * rates[0])
        bench.add(f"… memory at most, {count // 10:,} and {count:,} changes", "flat",
                  f"{peaks[0] / 1024:.1f} and {peaks[1] / 1024:.1f} MB", peaks[1] - peaks[0] < 2048)


def measure(bench, quick):
    count = 100 if quick else 400
    bench.add("floor: a byte from a writer through `cat` to a reader", "", wake.figure(wake.relay(200)))
    for synchronous in ("NORMAL", "FULL"):
        woken(bench, synchronous, count, "body")
    woken(bench, "NORMAL", count, "counter")
    catch_up(bench, quick)
