#!/usr/bin/env python3
"""The page test: what `historywatch serve --http` shows, in a real browser, of a store that is written to meanwhile.

    python3 Tests/PageTests/run.py --binary .build/release/historywatch [--picture .build/page.png] [--required]

A headless Chromium opens the page; the sqlite3 shell writes. Each check is a sentence and continues where the one before it
ended, like a person who sits before the page. Pictures are kept beside `--picture`: light, dark, and 400 points wide.
Without a browser nothing is tested and a line says so; with `--required` that is a failure.
The last line is `N passed, N failed`.
"""
import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback

sys.dont_write_bytecode = True
from browser import Browser, Failed, Tab, find

HOSTILE = "<img src=x onerror=\"document.title='broken'\">"
SCHEMA = """
PRAGMA journal_mode = wal;
CREATE TABLE lists(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE tasks(id INTEGER PRIMARY KEY, list INTEGER, title TEXT, done INTEGER NOT NULL DEFAULT 0, due TEXT, notes);
"""
BEGINNING = [
    ("app", "first start", "INSERT INTO lists VALUES (1, 'home'), (2, 'work');"),
    ("app", None, "INSERT INTO tasks(id, list, title, due) VALUES (1, 1, 'buy milk', '2026-12-01'), (2, 1, 'call Ada', NULL);"),
    ("importer", "calendar, nightly",
     "INSERT INTO tasks(id, list, title) VALUES (3, 2, 'report'), (4, 2, 'slides'), (5, 2, 'travel'), (6, 2, 'review'), (7, 1, 'paint');"),
    ("widget", None, "UPDATE tasks SET done = 1 WHERE id = 1;"),
    (None, None, "UPDATE tasks SET title = 'report, second draft', due = '2026-12-04' WHERE id = 3;"),
    ("app", "moved by hand", "UPDATE tasks SET list = 1 WHERE id = 4; DELETE FROM tasks WHERE id = 6;"),
    ("sync", "phone of Ada", "UPDATE tasks SET notes = x'00ff10', due = NULL WHERE id = 1;"),
]


class Store:
    """A tracked store that is served."""

    def __init__(self, binary):
        self.binary, self.folder = binary, tempfile.mkdtemp(prefix="historywatch-page-")
        self.path = os.path.join(self.folder, "tasks.db")
        self.shell(SCHEMA)
        self.program("track", self.path)
        self.server = None

    def program(self, *arguments):
        return subprocess.run([self.binary, *arguments], check=True, capture_output=True, text=True).stdout.strip()

    def shell(self, sql):
        subprocess.run(["sqlite3", "-bail", "-cmd", ".timeout 5000", self.path], input=sql, check=True, capture_output=True, text=True)

    def write(self, author, sql, context=None):
        """One transaction, by plain SQL."""
        if author is None:
            return self.shell(f"BEGIN IMMEDIATE;\n{sql}\nCOMMIT;")
        quoted = ", ".join("NULL" if text is None else "'" + text.replace("'", "''") + "'" for text in (author, context))
        self.shell(f"BEGIN IMMEDIATE;\nINSERT INTO history_author(name, context) VALUES ({quoted});\n{sql}\n"
                   "DELETE FROM history_author;\nCOMMIT;")

    def serve(self, *options, address="127.0.0.1:0"):
        """Starts the server and returns the page's address, at a port that the system chose."""
        self.server = subprocess.Popen(
            [self.binary, "serve", self.path, "--socket", os.path.join(self.folder, "s"), "--http", address, *options],
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        said = []
        for line in self.server.stderr:
            said.append(line)
            if found := re.search(r"http://[\d.:]+/", line):
                return found.group()
        raise Failed(f"serve ended: {''.join(said)}")

    def stop(self):
        if self.server and self.server.poll() is None:
            self.server.send_signal(signal.SIGTERM)
        if self.server:
            self.server.wait(timeout=30)
            self.server.stderr.close()
            self.server = None

    def close(self):
        if self.server and self.server.poll() is None:
            self.server.kill()
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


ROWS = "[...document.querySelectorAll('#history > .transaction:not([hidden])')]"
# The contrast of an author's name with what is behind it (WCAG 2), by the pixels that the colours become.
CONTRAST = """(() => {
  const pen = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const luminance = (colour) => {
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...pen.getImageData(0, 0, 1, 1).data].map((part) =>
      part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratios = [...document.querySelectorAll(".head .author, .ago, .column, .value, .context, .op, .choice, #connection")].map((element) => {
    let ground = element;
    while (getComputedStyle(ground).backgroundColor === "rgba(0, 0, 0, 0)") ground = ground.parentElement;
    const [light, dark] = [getComputedStyle(element).color, getComputedStyle(ground).backgroundColor]
      .map(luminance).sort((a, b) => b - a);
    return [(light + 0.05) / (dark + 0.05), element.className];
  });
  return ratios.sort((a, b) => a[0] - b[0])[0];
})()"""


class Checks:
    """What a person does with the page, in this order."""

    def __init__(self, store, tab, picture):
        self.store, self.tab, self.picture = store, tab, picture
        self.address = store.serve()

    def expect(self, is_so, what):
        if not is_so:
            raise Failed(what)

    def rows(self):
        return self.tab.evaluate(f"{ROWS}.map((row) => row.innerText)")

    def beside(self, name):
        root, ending = os.path.splitext(self.picture)
        return f"{root}-{name}{ending}"

    def shows_what_happened_before_it_was_opened(self):
        for author, context, sql in BEGINNING:
            self.store.write(author, sql, context)
        self.tab.resize(1180, 760)
        self.tab.open(self.address)
        self.tab.wait(f"{ROWS}.length === {len(BEGINNING)}")
        self.tab.wait("document.querySelector('#connection').dataset.state === 'live'")
        newest = self.rows()[0]
        self.expect("sync" in newest and "phone of Ada" in newest and "x'00ff10' 3 bytes" in newest, newest)

    def shows_a_commit_as_it_arrives(self):
        self.store.write("widget", "UPDATE tasks SET done = 1 WHERE id = 2;", "tapped")
        self.tab.wait(f"{ROWS}.length === {len(BEGINNING) + 1} && /widget[^]*tapped[^]*done 0 → 1/.test({ROWS}[0].innerText)")

    def gives_each_author_a_colour(self):
        colours = self.tab.evaluate("""Object.fromEntries([...document.querySelectorAll('#history .author')]
          .map((author) => [author.textContent, getComputedStyle(author).color]))""")
        self.expect(set(colours) == {"app", "importer", "widget", "sync", "untagged"}, colours)
        self.expect(len(set(colours.values())) == 5, colours)

    def opens_a_change_with_before_and_after(self):
        self.tab.evaluate(f"{ROWS}[0].querySelector('.head').focus()")
        self.tab.press("Enter")
        cells = self.tab.evaluate(f"[...{ROWS}[0].querySelectorAll('tr')].map((row) => [...row.cells].map((cell) => cell.innerText))")
        self.expect(cells == [["column", "before", "after"], ["done", "0", "1"]], cells)
        self.expect(self.tab.evaluate(f"{ROWS}[0].querySelector('.head').ariaExpanded") == "true", "aria-expanded")
        self.expect("hw1." in self.rows()[0], "the token is not shown")

    def keeps_markup_as_text(self):
        self.store.shell("ALTER TABLE lists RENAME TO \"<b>lists\";")
        self.store.program("track", self.store.path)
        self.store.write("<i>author</i>", f"INSERT INTO tasks(id, title) VALUES (8, '{HOSTILE.replace(chr(39), chr(39) * 2)}');", "<u>why</u>")
        self.tab.wait(f"{ROWS}[0].innerText.includes('onerror')")
        row = self.rows()[0]
        self.expect("<i>author</i>" in row and "<u>why</u>" in row and "<img src=x" in row, row)
        self.tab.evaluate(f"{ROWS}[0].querySelector('.head').click()")
        made = self.tab.evaluate("document.querySelectorAll('#history :is(img, i, u), main script, #panel :is(i, u)').length")
        self.expect(made == 0, f"{made} elements were made of values")
        self.tab.evaluate(f"{ROWS}[0].querySelector('.head').click()")

    def tells_of_a_schema_that_changed(self):
        self.tab.wait("document.querySelector('#history > .schema')?.innerText.includes('<b>lists')")

    def cuts_long_values_and_shows_them_whole(self):
        self.store.write("app", f"UPDATE tasks SET notes = '{'long ' * 1000}' WHERE id = 5; UPDATE tasks SET notes = 9007199254740993 WHERE id = 7;"
                                "UPDATE tasks SET notes = 1.0 WHERE id = 4;")
        self.tab.wait(f"{ROWS}[0].innerText.includes('long long')")
        text = self.rows()[0]
        self.expect("9007199254740993" in text and "→ 1.0" in text and len(text) < 1000, text)
        self.tab.evaluate(f"{ROWS}[0].querySelector('.head').click(); {ROWS}[0].querySelector('td button').click()")
        self.expect("long " * 1000 in self.tab.evaluate(f"{ROWS}[0].innerText"), "the value is not whole")
        self.tab.evaluate(f"{ROWS}[0].querySelector('.head').click()")

    def waits_while_paused_and_counts(self):
        before = len(self.rows())
        self.tab.evaluate("document.activeElement.blur()")
        self.tab.press("p")
        self.store.write("importer", "INSERT INTO tasks(id, title) VALUES (20, 'while paused');")
        self.store.write("importer", "INSERT INTO tasks(id, title) VALUES (21, 'while paused');")
        self.tab.wait("document.querySelector('#pause').textContent === 'Resume (2)'")
        self.expect(len(self.rows()) == before, "something arrived while paused")
        self.expect("2 new transactions waiting" in self.tab.evaluate("document.body.innerText"), "what waits is not told")
        self.expect(self.tab.evaluate("document.title").startswith("(2) "), "the title does not count")
        self.tab.evaluate(f"{ROWS}[0].querySelector('.head').focus()")
        self.tab.press(" ")
        self.tab.wait(f"{ROWS}.length === {before + 2} && document.querySelector('#pause').textContent === 'Pause'")
        self.expect(not self.tab.evaluate("document.querySelector('#history > .open .detail td')?.innerText === ''"), "space opened a row")

    def holds_still_while_one_reads_further_down(self):
        self.tab.resize(1180, 300)
        self.tab.evaluate("window.scrollTo(0, 400)")
        self.tab.wait("window.scrollY > 120")
        before = len(self.rows())
        self.store.write("app", "UPDATE tasks SET done = 1 WHERE id = 20;")
        self.tab.wait("!document.querySelector('#waiting').hidden")
        self.expect(len(self.rows()) == before, "the list moved")
        self.tab.press("g")
        self.tab.wait(f"{ROWS}.length === {before + 1} && document.querySelector('#waiting').hidden")
        self.tab.resize(1180, 760)

    def moves_by_the_keyboard(self):
        self.tab.evaluate("document.activeElement.blur()")
        at = f"{ROWS}.findIndex((row) => row.contains(document.activeElement))"
        places = []
        for key in ["j", "j", "ArrowDown", "k", "ArrowUp"]:
            self.tab.press(key)
            places.append(self.tab.evaluate(at))
        self.expect(places == [0, 1, 2, 1, 0], places)
        outline = self.tab.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        self.expect(outline == "solid", f"the focus is not visible: {outline}")
        self.tab.press("?")
        self.expect(self.tab.evaluate("document.querySelector('#help').open"), "? does not show the keys")
        self.tab.press("Escape")
        self.tab.wait("!document.querySelector('#help').open")

    def finds_text(self):
        self.tab.press("/")
        self.expect(self.tab.evaluate("document.activeElement.id") == "search", "/ does not lead to the field")
        self.tab.type("second draft")
        self.tab.wait(f"{ROWS}.length === 1 && {ROWS}[0].innerText.includes('second draft')")
        self.tab.evaluate("document.querySelector('#search').value = ''; document.querySelector('#search').oninput()")
        self.tab.press("Escape")
        self.expect(len(self.rows()) > 1, "the rows did not come back")

    def choose(self, facet, value):
        self.tab.evaluate(f"document.querySelector('#{facet} input[value=\"{value}\"]').click()")

    def filters_by_author_and_table(self):
        self.choose("author", "importer")
        self.tab.wait(f"{ROWS}.length === 3 && {ROWS}.every((row) => row.innerText.includes('importer'))")
        self.store.write("app", "UPDATE tasks SET done = 0 WHERE id = 20;")
        self.store.write("importer", "UPDATE tasks SET done = 0 WHERE id = 1;")
        self.tab.wait(f"{ROWS}.length === 4")
        self.choose("author", "importer")
        self.choose("author", "")
        self.tab.wait(f"{ROWS}.length === 1 && {ROWS}[0].classList.contains('untagged')")
        self.choose("author", "")
        self.choose("op", "delete")
        self.tab.wait(f"{ROWS}.length === 1 && {ROWS}[0].innerText.includes('moved by hand')")
        self.choose("op", "delete")
        self.choose("table", "lists")
        self.tab.wait(f"{ROWS}.length === 1 && {ROWS}[0].innerText.includes('first start')")
        self.expect("table=" in self.tab.evaluate("location.hash"), "the address does not keep the filter")
        # What is chosen and dropped at once leaves nothing behind that would show things twice.
        self.tab.evaluate("for (let times = 0; times < 6; times++) document.querySelector('#op input').click()")
        self.tab.evaluate("document.querySelector('#clear').click()")
        self.tab.wait(f"{ROWS}.length > 10 && document.querySelector('#connection').dataset.state === 'live'")
        self.store.write("app", "UPDATE tasks SET title = 'only once' WHERE id = 20;")
        self.store.write("app", "UPDATE tasks SET title = 'and then this' WHERE id = 20;")
        self.tab.wait(f"{ROWS}[0].innerText.includes('and then this')")
        self.expect(sum("→ \"only once\"" in row for row in self.rows()) == 1, self.rows()[:4])

    def shows_how_far_consumers_are(self):
        self.store.program("consumer", "create", self.store.path, "mirror", "--at", "oldest")
        self.store.program("consumer", "create", self.store.path, "backup")
        self.tab.wait("/backup\\s+up to date/.test(consumers.innerText) && /mirror\\s+\\d+ changes behind/.test(consumers.innerText)")
        widths = self.tab.evaluate("[...document.querySelectorAll('#consumers .bar > span')].map((bar) => bar.offsetWidth)")
        self.expect(sorted(widths)[0] == 0 and sorted(widths)[1] > 20, widths)

    def is_readable_in_light_and_dark(self):
        self.tab.evaluate("document.activeElement.blur(); window.scrollTo(0, 0)")
        self.tab.evaluate(f"{ROWS}.filter((row) => row.classList.contains('open')).forEach((row) => row.querySelector('.head').click())")
        self.tab.evaluate(f"{ROWS}.find((row) => row.innerText.includes('second draft')).querySelector('.head').click()")
        grounds = []
        for dark in (False, True):
            self.tab.resize(1180, 760, dark)
            self.tab.wait(f"matchMedia('(prefers-color-scheme: dark)').matches === {str(dark).lower()}")
            self.tab.wait("document.getAnimations().length === 0")
            ratio, what = self.tab.evaluate(CONTRAST)
            self.expect(ratio >= 4.5, f"contrast {ratio:.2f} of {what}, {'dark' if dark else 'light'}")
            grounds.append(self.tab.evaluate("getComputedStyle(document.body).backgroundColor"))
            self.tab.picture(self.beside("dark") if dark else self.picture)
        self.expect(grounds[0] != grounds[1], "dark mode changes nothing")

    def fits_a_narrow_window(self):
        self.tab.resize(400, 760)
        self.tab.wait("innerWidth === 400")
        width = self.tab.evaluate("document.documentElement.scrollWidth")
        self.expect(width <= 400, f"{width} wide")
        self.tab.picture(self.beside("narrow"))
        self.tab.evaluate("document.querySelector('#panel-button').click()")
        self.expect(self.tab.evaluate("document.querySelector('#consumers').offsetHeight") > 0, "the panel does not open")
        self.tab.evaluate("document.querySelector('#panel-button').click()")
        self.tab.resize(1180, 760)

    def goes_on_after_the_server_was_away(self):
        before = len(self.rows())
        self.store.stop()
        self.tab.wait("document.querySelector('#connection').dataset.state === 'lost'")
        self.store.write("widget", "UPDATE tasks SET title = 'written while away' WHERE id = 1;")
        self.expect(self.store.serve(address=self.address.split("/")[2]) == self.address, "another address")
        self.tab.wait(f"{ROWS}.length === {before + 1} && {ROWS}[0].innerText.includes('written while away')", 40)

    def keeps_the_newest_and_goes_back_on_request(self):
        self.store.shell("".join(
            f"BEGIN IMMEDIATE; INSERT INTO history_author(name) VALUES ('loop');"
            f"UPDATE tasks SET list = {n} WHERE id = 1; DELETE FROM history_author; COMMIT;\n" for n in range(100, 700)))
        self.tab.wait(f"/→ 699/.test({ROWS}[0].innerText)")
        self.expect(len(self.rows()) == 500, f"{len(self.rows())} are kept")
        self.expect(self.tab.evaluate("document.querySelector('#earlier').hidden"), "more can be asked for than is kept")
        self.tab.call("Page.reload")
        self.tab.wait(f"document.readyState === 'complete' && {ROWS}.length === 100")
        self.tab.evaluate("document.querySelector('#earlier').click()")
        self.tab.wait(f"{ROWS}.length === 200 && /→ 699/.test({ROWS}[0].innerText) && /→ 500/.test({ROWS}[199].innerText)")

    def loads_nothing_from_elsewhere(self):
        asked = [request["request"]["url"] for request in self.tab.reported("Network.requestWillBeSent")]
        outside = [url for url in asked if not url.startswith((self.address, "about:"))]
        self.expect(asked and not outside, outside)

    def reports_no_error(self):
        errors = [entry["entry"] for entry in self.tab.reported("Log.entryAdded") if entry["entry"]["level"] == "error"]
        # While the server was away nobody answered, which the browser notes.
        errors = [entry for entry in errors if "net::ERR_" not in entry["text"]]
        thrown = [event["exceptionDetails"] for event in self.tab.reported("Runtime.exceptionThrown")]
        printed = [event for event in self.tab.reported("Runtime.consoleAPICalled") if event["type"] in ("error", "warning", "assert")]
        self.expect(not errors + thrown + printed, errors + thrown + printed)
        self.expect(self.tab.evaluate("document.title").endswith("historywatch"), "a value ran as a script")

    def asks_for_a_token_where_one_is_needed(self):
        self.store.stop()
        secret = os.path.join(self.store.folder, "token")
        with open(secret, "w") as file:
            file.write("3f7c1b52d0a94e6c8b1a7de2\n")
        os.chmod(secret, 0o600)
        self.tab.open(self.store.serve("--http-token-file", secret))
        self.tab.wait("document.querySelector('#entrance').open")
        self.expect(self.rows() == [], "shown without a token")
        for attempt in ("not the token", "3f7c1b52d0a94e6c8b1a7de2"):
            self.tab.wait("document.querySelector('#entrance').open && document.querySelector('#token').value === ''")
            self.tab.evaluate("document.querySelector('#token').focus()")
            self.tab.type(attempt)
            self.tab.press("Enter")
        self.tab.wait(f"document.querySelector('#connection').dataset.state === 'live' && {ROWS}.length > 10")
        self.expect("3f7c" not in self.tab.evaluate("location.href + document.cookie"), "the token is where others see it")

    def all(self):
        return [value for name, value in vars(Checks).items() if callable(value) and name not in {
            "__init__", "expect", "rows", "beside", "choose", "all"}]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--picture", default=".build/page.png")
    parser.add_argument("--required", action="store_true", help="fail where there is no browser")
    options = parser.parse_args()

    program = find()
    if program is None:
        print("page: there is no Chromium, nothing was tested; Scripts/install-requirements --browser installs one")
        return 1 if options.required else 0

    store, browser, passed, failed = Store(os.path.abspath(options.binary)), Browser(program), 0, 0
    try:
        checks = Checks(store, Tab(browser), options.picture)
        for check in checks.all():
            sentence = f"the page {check.__name__.replace('_', ' ')}"
            try:
                check(checks)
                passed += 1
                print(f"ok      {sentence}", flush=True)
            except Exception as failure:
                failed += 1
                print(f"FAILED  {sentence}: {failure}", flush=True)
                if not isinstance(failure, Failed):
                    traceback.print_exc()
                checks.tab.picture(checks.beside("failed"))
                # What comes next continues from here, and would fail for no reason of its own.
                break
    finally:
        browser.close()
        store.close()
    print(f"page: pictures are in {os.path.dirname(options.picture) or '.'}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
