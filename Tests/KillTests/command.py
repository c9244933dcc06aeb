"""What `run` runs in the kill test: it says what it was told when it begins, and again when it is done. Sometimes it fails.

    python3 command.py LOG

A line of LOG: the word, its own process, and why, from where, up to where and how many transactions.
"""
import os
import random
import sys
import time


def note(word):
    told = [os.environ["HISTORYWATCH_" + name] for name in ("REASON", "SINCE", "UNTIL", "TRANSACTIONS")]
    os.write(log, " ".join([word, str(os.getpid()), *told, "\n"]).encode())


log = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
note("begun")
time.sleep(random.random() * 0.03)
if random.random() < 0.03:
    sys.exit(1)
note("done")
time.sleep(random.random() * 0.01)
