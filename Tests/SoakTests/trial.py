"""How a soak is begun from the command line, ends, and says so. The last line that it prints is `passed` or `failed`."""
import argparse
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "RealInput"))

from replay import Program, Wrong


def arguments(description, minutes, flags=()):
    """What a soak takes from the command line. `flags` are (name, help) of its own; those that are set are named in `again`."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--minutes", type=float, default=minutes)
    parser.add_argument("--seed", type=int, default=None, help="default: drawn, and printed")
    for name, words in flags:
        parser.add_argument(f"--{name}", action="store_true", help=words)
    parser.add_argument("--keep", action="store_true", help="keep the files when it fails")
    options = parser.parse_args()
    if not os.access(options.binary, os.X_OK):
        parser.error(f"{options.binary} is not a program")
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(10**6)
    options.again = " ".join([f"--seed {options.seed} --minutes {options.minutes:g}",
                              *(f"--{name}" for name, _ in flags if getattr(options, name))])
    return options


def run(options, make):
    """Plays what `make(program, folder)` gives; returns the exit code. It has play(), clean() and figures()."""
    print(f"seed {options.seed}", flush=True)
    folder = tempfile.mkdtemp(prefix="historywatch-soak-")
    soak, message = make(Program(options.binary), folder), None
    try:
        soak.play()
    except (Wrong, subprocess.TimeoutExpired, sqlite3.Error) as error:
        message = str(error)
    except Exception:
        message = "the test itself broke\n" + traceback.format_exc()
    finally:
        soak.clean()
    for line in soak.figures():
        print(line)
    if message:
        print(f"FAILED  {message}\n        again: {options.again}" + (f"; kept {folder}" if options.keep else ""))
    if not message or not options.keep:
        shutil.rmtree(folder, ignore_errors=True)
    print("failed" if message else "passed")
    return 1 if message else 0
