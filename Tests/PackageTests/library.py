#!/usr/bin/env python3
"""library.py: builds a program of another package that depends on this one by its URL and a version, as users do.

    library.py [--swift swift]

The examples depend on it by path. By URL SwiftPM is stricter: nothing unsafe may be among the settings, and only what is
committed counts. The URL is that of a clone on this disk, in which the commit gets the program's version as its tag.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

MANIFEST = """\
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "User",
  platforms: [.macOS(.v15)],
  dependencies: [.package(url: "file://%s", from: "%s")],
  targets: [
    .executableTarget(
      name: "User", dependencies: [.product(name: "HistoryKit", package: "historywatch")], path: ".",
      sources: ["main.swift"])
  ],
  swiftLanguageModes: [.v6]
)
"""
PROGRAM = """\
import HistoryKit

do {
  _ = try ObservedStore(path: "nothing.db")
} catch {
  print(error.code)
}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swift", default="swift")
    options = parser.parse_args()

    with open(os.path.join(ROOT, "Sources/HistoryCommands/Program/Version.swift")) as file:
        version = re.search(r'program = "(.+?)"', file.read())[1]
    with tempfile.TemporaryDirectory(prefix="historywatch-library-") as folder:
        clone, user = os.path.join(folder, "historywatch"), os.path.join(folder, "user")
        quiet = {"check": True, "stdout": subprocess.DEVNULL}
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], **quiet)
        subprocess.run(["git", "-C", clone, "tag", version], **quiet)
        os.mkdir(user)
        for name, text in [("Package.swift", MANIFEST % (clone, version)), ("main.swift", PROGRAM)]:
            with open(os.path.join(user, name), "w") as file:
                file.write(text)
        built = subprocess.run([options.swift, "build"], cwd=user, capture_output=True, text=True)
        if built.returncode:
            sys.exit(f"library: FAILED to build:\n{built.stdout}{built.stderr}")
        said = subprocess.run([os.path.join(user, ".build/debug/User")], cwd=user, capture_output=True, text=True)
        if said.returncode or said.stdout != "storeUnavailable\n":
            sys.exit(f"library: FAILED: it printed {said.stdout!r} {said.stderr!r}")
    print(f"library: built by URL and version {version}, and used")


main()
