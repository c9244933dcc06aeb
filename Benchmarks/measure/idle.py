"""What a following stream costs while nothing happens, and how soon it is there."""
import os
import subprocess
import time

from . import common


def switches(pid):
    fields = dict(line.split(":", 1) for line in open(f"/proc/{pid}/status") if ":" in line)
    return int(fields["voluntary_ctxt_switches"]), int(fields["nonvoluntary_ctxt_switches"])


def cpu(pid):
    """Processor time in milliseconds, to the nanosecond where the kernel tells it."""
    return int(open(f"/proc/{pid}/schedstat").read().split()[0]) / 1e6


def idle(bench, seconds):
    path = bench.database("idle.db", track=["tasks"])
    stream = subprocess.Popen([bench.binary, "stream", path], stdout=subprocess.PIPE)
    os.read(stream.stdout.fileno(), 1 << 16)
    time.sleep(1)
    wakes, busy = switches(stream.pid), cpu(stream.pid)
    time.sleep(seconds)
    woke = [after - before for after, before in zip(switches(stream.pid), wakes)]
    used = cpu(stream.pid) - busy
    threads = len(os.listdir(f"/proc/{stream.pid}/task"))
    now, high = common.memory(stream.pid)
    stream.terminate()
    stream.wait()
    each = woke[0] / seconds
    bench.add(f"idle for {seconds} s: wake-ups a second", "≤ 1", f"{each:.2f} ({threads} thread)", each <= 1.05)
    bench.add("idle: processor", "0 %", f"{used / seconds / 10:.4f} % ({used:.2f} ms)", used / seconds < 1)
    bench.add("idle: resident", "≤ 12 MB", f"{now / 1024:.1f} MB (highest {high / 1024:.1f} MB)", now <= 12 * 1024)


def start(bench, path, rounds):
    found = []
    for _ in range(rounds):
        begin = time.perf_counter()
        stream = subprocess.Popen([bench.binary, "stream", path], stdout=subprocess.PIPE)
        os.read(stream.stdout.fileno(), 1 << 16)
        found.append((time.perf_counter() - begin) * 1000)
        stream.kill()
        stream.wait()
        stream.stdout.close()
    return found


def measure(bench, quick):
    idle(bench, 10 if quick else 20)
    path = bench.database("start.db", track=["tasks"])
    found = start(bench, path, 21)
    bench.add("start-up to hello", "≤ 10 ms",
              f"{common.median(found):.1f} ms ({common.quantile(found, 0.9):.1f} at p90)", common.median(found) <= 10)
