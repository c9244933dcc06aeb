"""A headless Chromium, driven through the DevTools protocol over a pipe.

The pipe needs nothing that Python does not bring: messages are JSON, each ended by a NUL, on descriptors 3 and 4 of the
browser. https://chromedevtools.github.io/devtools-protocol/
"""
import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
PATIENCE = 60


class Failed(Exception):
    """The page is not as it should be, or does not become so."""


def find():
    """The path of a Chromium; None where there is none."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """The process. What it reports is kept in `events` until the test looks at it."""

    def __init__(self, program):
        self.folder = tempfile.mkdtemp(prefix="historywatch-browser-")
        self.log = open(os.path.join(self.folder, "log"), "w+b")
        reads, self.output = self.pipe()
        self.input, writes = self.pipe()
        # Chromium's sandbox refuses root, as which tests often run in containers. The page is ours.
        arguments = ["--headless", "--remote-debugging-pipe", f"--user-data-dir={self.folder}", "--no-first-run",
                     "--disable-background-networking", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]
        arguments += ["--no-sandbox"] if os.getuid() == 0 else []

        def take_pipe():
            os.dup2(reads, 3)
            os.dup2(writes, 4)

        self.process = subprocess.Popen(
            [program, *arguments, "about:blank"], stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
            preexec_fn=take_pipe, pass_fds=(3, 4))
        os.close(reads)
        os.close(writes)
        self.pending, self.number, self.events, self.answers = b"", 0, [], {}

    @staticmethod
    def pipe():
        """Both ends of a pipe, out of the way of descriptors 3 and 4."""
        ends = os.pipe()
        moved = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends]
        for end in ends:
            os.close(end)
        return moved

    def call(self, method, session=None, **parameters):
        """Calls a method and returns its result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.output, data):]
        deadline = time.monotonic() + PATIENCE
        while self.number not in self.answers:
            self.read(deadline, method)
        answer = self.answers.pop(self.number)
        if "error" in answer:
            raise Failed(f"{method}: {answer['error'].get('message')}")
        return answer["result"]

    def read(self, deadline, what):
        ready, _, _ = select.select([self.input], [], [], max(0, deadline - time.monotonic()))
        data = os.read(self.input, 1 << 20) if ready else b""
        if not data:
            raise Failed(f"the browser {'ended' if ready else 'does not answer'}: {what}\n{self.said()}")
        *messages, self.pending = (self.pending + data).split(b"\0")
        for message in map(json.loads, messages):
            if "id" in message:
                self.answers[message["id"]] = message
            else:
                self.events.append(message)

    def said(self):
        self.log.seek(0)
        return self.log.read().decode(errors="replace")[-2000:]

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for end in (self.input, self.output):
            os.close(end)
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)


KEYS = {"Enter": (13, "\r"), "Escape": (27, ""), " ": (32, " "), "ArrowDown": (40, ""), "ArrowUp": (38, "")}


class Tab:
    """One page of the browser."""

    def __init__(self, browser):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def open(self, address):
        self.call("Page.navigate", url=address)

    def evaluate(self, script):
        """The value of an expression in the page; promises are awaited."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise Failed(details.get("exception", {}).get("description") or details["text"])
        return answer["result"].get("value")

    def wait(self, condition, seconds=20):
        """Waits until an expression is true, looking whenever a frame is drawn."""
        script = """new Promise((done) => {
          const end = performance.now() + %d;
          const look = () => {
            let is = false;
            try { is = Boolean(%s); } catch { /* Not there yet. */ }
            if (is || performance.now() > end) done(is); else requestAnimationFrame(look);
          };
          look();
        })""" % (seconds * 1000, condition)
        if not self.evaluate(script):
            raise Failed(f"never came true: {condition}; the page: {self.evaluate('document.body.innerText')[:1500]}")

    def press(self, key, text=None):
        code, typed = KEYS.get(key, (ord(key.upper()[0]), key))
        common = dict(key=key, windowsVirtualKeyCode=code)
        self.call("Input.dispatchKeyEvent", type="keyDown" if typed else "rawKeyDown", text=typed, **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def resize(self, width, height, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.scheme(dark)

    def scheme(self, dark):
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", features=features)

    def picture(self, path):
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def reported(self, method):
        """The parameters of every report of one kind so far."""
        return [event["params"] for event in self.browser.events if event["method"] == method]
