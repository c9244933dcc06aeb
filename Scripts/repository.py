"""What the check scripts share: the files of the repository, and how a check reports.

Files are what git knows plus what is new and not ignored, so that a check says the same before and after a commit.
Without git (a source archive) every file outside hidden folders counts.
"""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def git(*arguments):
    """The output of a git command, or None where this is not a clone."""
    try:
        done = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True)
    except FileNotFoundError:
        return None
    return done.stdout if done.returncode == 0 else None


def files(*endings, under=""):
    """Paths, relative to the root and sorted, of the files below a folder whose names end in one of the endings."""
    listed = git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    if listed is not None:
        found = set(listed.split("\0")) - {""}
    else:
        found = set()
        for folder, folders, names in os.walk(ROOT):
            folders[:] = [f for f in folders if f == ".ci" or not f.startswith(".")]
            found.update(os.path.relpath(os.path.join(folder, n), ROOT) for n in names)
    return sorted(
        f for f in found
        if f.startswith(under) and f.endswith(endings or "") and os.path.isfile(os.path.join(ROOT, f)))


def text(path):
    """The text of a file; None when it is not text."""
    try:
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            return file.read()
    except UnicodeDecodeError:
        return None


def finish(offences, summary):
    """Prints the offences, or one ok line, and ends the check."""
    name = os.path.basename(sys.argv[0])
    for offence in offences:
        print(f"{name}: {offence}")
    if offences:
        print(f"{name}: FAILED, {len(offences)} found")
        sys.exit(1)
    print(f"{name}: ok, {summary}")
    sys.exit(0)
