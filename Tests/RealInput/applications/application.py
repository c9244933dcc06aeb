"""How run.py drives an application: `python APPLICATION STEP DATABASE` runs one step and prints how long it took.

An application is a file with some of these functions, each given the path of the database:

    prepare       makes its tables and first rows
    work          what it does all day; timed, on an untracked and on a tracked store
    more          what cannot be timed fairly (processes that start, consumers that wait)
    change        changes the schema in its own way
    work_again    goes on after that
    ready         is run before any other step, outside the time

They use their library as its manual shows. Nothing here knows of history.
"""
import json
import sys
import time


def main(steps):
    if sys.argv[1] == "--steps":
        print(json.dumps([s for s in ("prepare", "work", "more", "change", "work_again") if s in steps]))
        return
    step, database = sys.argv[1:3]
    if "ready" in steps:
        steps["ready"](database)
    start = time.perf_counter()
    steps[step](database)
    print(json.dumps({"seconds": time.perf_counter() - start}))
