#!/usr/bin/env python3
"""run.py: installs the Debian package in a fresh Debian, uses it there, and removes it without a trace.

    run.py --package FILE.deb

The Debian is a directory that mmdebstrap fills from where this system gets its packages, and that chroot enters; both need
root, and without it the test says that it tested nothing.
"""
import argparse
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

# The whole of what a user does first, with nothing in the system but the package and what it depends on.
FIRST_USE = """
set -eu
cd /srv
mkdir plan
echo 'CREATE TABLE tasks(id INTEGER PRIMARY KEY, title TEXT);' >plan/0001_tasks.sql
historywatch migrate app.db --plan plan --create
historywatch track app.db
historywatch write app.db --author app "INSERT INTO tasks(title) VALUES ('milk')"
historywatch app.db --since oldest --no-follow
historywatch apply other.db --from app.db --create --no-follow
historywatch check other.db
"""


def fail(message):
    sys.exit(f"package: FAILED: {message}")


class Debian:
    """A Debian in a directory."""

    def __init__(self, root):
        self.root = root
        sources = "/etc/apt/sources.list.d/debian.sources"
        options = [f"--aptopt={os.path.join(folder, name)}" for folder in ["/etc/apt/apt.conf.d"]
                   for name in sorted(os.listdir(folder)) if name.startswith("99")]
        subprocess.run(
            ["mmdebstrap", "--quiet", "--variant=apt", *options, "bookworm", root,
             sources if os.path.exists(sources) else "/etc/apt/sources.list"],
            check=True)
        # Swift finds a program's arguments there.
        subprocess.run(["mount", "-t", "proc", "proc", root + "/proc"], check=True)

    def remove(self):
        subprocess.run(["umount", self.root + "/proc"], check=False)
        subprocess.run(["rm", "-rf", "--one-file-system", self.root], check=True)

    def run(self, *command, **options):
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/srv", "LC_ALL": "C.UTF-8",
                       "DEBIAN_FRONTEND": "noninteractive"}
        done = subprocess.run(
            ["chroot", self.root, *command], capture_output=True, text=True, env=environment, **options)
        if done.returncode:
            fail(f"{' '.join(command)[:80]} gave {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def files(self):
        """All that is in the system's own directories, but for what apt and dpkg write while they work."""
        found = set()
        for top in ["etc", "usr", "var/lib"]:
            for folder, folders, names in os.walk(os.path.join(self.root, top)):
                where = os.path.relpath(folder, self.root)
                if where in ("var/lib/dpkg", "var/lib/apt"):
                    folders.clear()
                    continue
                found.update(os.path.join(where, name) for name in folders + names)
        return found - {"etc/ld.so.cache", "var/lib/systemd/deb-systemd-user-helper-enabled"}


def check_contents(debian):
    """The package has what it should, where the system looks for it."""
    listed = debian.run("dpkg", "--listfiles", "historywatch").split()
    for path in ["/usr/bin/historywatch", "/usr/share/bash-completion/completions/historywatch",
                 "/usr/share/zsh/vendor-completions/_historywatch",
                 "/usr/share/fish/vendor_completions.d/historywatch.fish",
                 "/usr/lib/systemd/user/historywatch.socket"]:
        if path not in listed:
            fail(f"the package lacks {path}")
    unit = open(debian.root + "/usr/lib/systemd/user/historywatch.service").read()
    if "ExecStart=/usr/bin/historywatch serve" not in unit:
        fail("the unit starts another program")
    commands = [line.split()[0] for line in debian.run("historywatch", "--help").split("\n")
                if line.startswith("  ") and "app.db" not in line]
    for page in ["historywatch"] + [f"historywatch-{command}" for command in commands]:
        # Debian's minimal systems leave pages out, by an option of dpkg's.
        path = f"/usr/share/man/man1/{page}.1.gz"
        if path not in listed:
            fail(f"the package lacks {path}")
        source = debian.root + path
        if os.path.exists(source) and shutil.which("man"):
            text = gzip.open(source, "rt").read()
            told = subprocess.run(["man", "--warnings", "--local-file", "-"], input=text, capture_output=True, text=True)
            if told.returncode or told.stderr:
                fail(f"man is not content with {page}: {told.stderr}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", required=True)
    options = parser.parse_args()
    if os.geteuid() != 0 or not shutil.which("mmdebstrap"):
        print("package: tested nothing: it needs root and mmdebstrap")
        return

    root = tempfile.mkdtemp(prefix="historywatch-debian-")
    # mmdebstrap wants to make it itself.
    os.rmdir(root)
    debian = Debian(root)
    try:
        debian.run("apt-get", "update")
        shutil.copy(options.package, os.path.join(root, "historywatch.deb"))
        # What it depends on comes first, so that what is left at the end is the package's own.
        needs = debian.run("dpkg-deb", "--field", "/historywatch.deb", "Depends")
        debian.run("apt-get", "satisfy", "-y", "--no-install-recommends", needs.strip())
        before = debian.files()
        debian.run("apt-get", "install", "-y", "--no-install-recommends", "/historywatch.deb")
        check_contents(debian)
        lines = [json.loads(line) for line in debian.run("sh", "-c", FIRST_USE).split("\n") if line.startswith("{")]
        if [line["kind"] for line in lines if line["kind"] in ("change", "commit")] != ["change", "commit"]:
            fail(f"the first use shows other lines: {lines}")
        debian.run("dpkg", "--verify", "historywatch")
        debian.run("apt-get", "purge", "-y", "historywatch")
        left = sorted(debian.files() - before)
        lost = sorted(before - debian.files())
        if left or lost:
            fail(f"after its removal there are {left[:20]}, and there are no longer {lost[:20]}")
        print("package: installed, used and removed in a fresh Debian")
    finally:
        debian.remove()


main()
