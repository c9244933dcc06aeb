"""Prints the changes that `historywatch serve` tells of, and goes on where it was: watch.py SOCKET [TOKEN]"""
import json
import socket
import sys
import time

path, since = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "now"
while True:
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.connect(path)
            request = {"operation": "subscribe", "subscription": "a", "since": since, "group": "transaction"}
            server.sendall(json.dumps(request).encode() + b"\n")
            for text in server.makefile("rb"):
                line = json.loads(text) if text.endswith(b"\n") else {"kind": "cut off"}
                if line["kind"] == "error" or line["kind"] == "bye" and line["reason"] == "expired":
                    sys.exit(line.get("message", "the position has expired"))
                for change in line.get("changes", []):
                    print(line["author"], change["op"], change["table"], *change["key"].values(), flush=True)
                since = line.get("token", since)  # only now: whoever stops before gets the line again
    except OSError:
        pass  # no server: it may be starting
    time.sleep(0.2)
