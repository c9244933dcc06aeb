"""Reads what the program says and what a database holds, and compares the two to the last bit.

Used by the real-input test and by the kill test. It knows the JSON lines and plain SQLite, nothing of how the program works.
"""
import base64
import json
import os
import sqlite3
import struct
import subprocess


class Wrong(Exception):
    """What a test found."""


class Real(float):
    """A JSON number with a point or an exponent, which is a REAL; the others are INTEGER."""


def parse(line):
    """One JSON line, in which REAL and INTEGER can be told apart."""
    try:
        return json.loads(line, parse_float=Real)
    except ValueError as error:
        raise Wrong(f"not a JSON line ({error}): {line[:200]!r}")


def cell(value):
    """A value of a line as (storage class, exact content)."""
    if value is None:
        return ("null", None)
    if isinstance(value, Real):
        return ("real", struct.pack(">d", value))
    if isinstance(value, bool):
        raise Wrong("true and false are no SQLite values")
    if isinstance(value, int):
        return ("integer", value)
    if isinstance(value, str):
        return ("text", value.encode("utf-8", "surrogatepass"))
    (kind, content), = value.items()
    if kind == "$integer":
        return ("integer", int(content))
    if kind == "$real":
        return ("real", struct.pack(">d", float(content)))
    return ({"$text": "text", "$blob": "blob"}[kind], base64.b64decode(content, validate=True))


def cells(values):
    return {column: cell(value) for column, value in values.items()}


def stored(kind, value):
    """A value as SQLite's typeof() and Python's sqlite3 (text as bytes) give it, in the same form as cell()."""
    if kind == "real":
        return (kind, struct.pack(">d", value))
    return (kind, bytes(value) if kind in ("text", "blob") else value)


class Program:
    """The program under test."""

    def __init__(self, binary):
        self.binary = os.path.abspath(binary)

    def run(self, *arguments, codes=(0,), input=None, timeout=120):
        command = [self.binary, *map(str, arguments)]
        try:
            done = subprocess.run(command, input=input, stdin=subprocess.DEVNULL if input is None else None,
                                  capture_output=True, timeout=timeout)
        except subprocess.TimeoutExpired:
            raise Wrong(f"did not end within {timeout} s: {show(arguments)}")
        if codes and done.returncode not in codes:
            raise Wrong(f"exit {done.returncode}, expected {' or '.join(map(str, codes))}: {show(arguments)}: "
                        f"{done.stderr.decode(errors='replace').strip()[:400]}")
        return done

    def stream(self, database, *options, codes=(0,)):
        """All lines of a stream that ends by itself."""
        lines = [parse(line) for line in self.run("stream", database, *options, codes=codes).stdout.splitlines()]
        if codes == (0,) and (not lines or lines[0]["kind"] != "hello" or lines[-1]["kind"] != "bye"):
            raise Wrong(f"a stream begins with hello and ends with bye: {show(options)}")
        return lines

    def snapshot(self, database, mode="only"):
        """(rows, token): what the program says the tracked tables hold now."""
        lines = self.stream(database, "--snapshot", mode, "--no-follow")
        rows = Rows()
        for line in lines:
            rows.take(line)
        ends = [line["token"] for line in lines if line["kind"] == "snapshot-end"]
        if len(ends) != 1:
            raise Wrong(f"--snapshot {mode} gave {len(ends)} snapshot-end lines")
        return rows, ends[0]


def show(arguments):
    return "historywatch " + " ".join(map(str, arguments))


class Rows:
    """The rows of tables, brought forward by the lines of a stream. Each line must fit what is there."""

    def __init__(self):
        self.rows = {}

    def copy(self):
        other = Rows()
        other.rows = {at: dict(values) for at, values in self.rows.items()}
        return other

    def take(self, line):
        kind = line["kind"]
        if kind not in ("row", "change"):
            return
        at = (line["table"], tuple(cells(line["key"]).values()))
        if kind == "row":
            self.fits(at not in self.rows, line, "row twice")
            self.rows[at] = cells(line["values"])
        elif line["op"] == "insert":
            self.fits(at not in self.rows, line, "insert of a row that is there")
            self.rows[at] = cells(line["after"])
        elif line["op"] == "delete":
            self.fits(at in self.rows, line, "delete of a row that is not there")
            self.fits(self.rows.pop(at) == cells(line["before"]), line, "before differs from the row")
        else:
            self.fits(at in self.rows, line, "update of a row that is not there")
            row, before, after = self.rows.pop(at), cells(line["before"]), cells(line["after"])
            self.fits(all(row.get(column) == value for column, value in before.items()), line, "before differs from the row")
            changed = [column for column in after if after[column] != before.get(column)]
            self.fits(changed == line["changed"], line, "changed is not what differs")
            new = (at[0], tuple(after.get(column, value) for column, value in cells(line["key"]).items()))
            self.fits(new not in self.rows, line, "update to a key that is there")
            self.rows[new] = {**row, **after}

    @staticmethod
    def fits(condition, line, message):
        if not condition:
            text = json.dumps(line)
            raise Wrong(f"{message}: {text if len(text) < 400 else text[:400] + '…'}")

    def of(self, table):
        return {at[1]: values for at, values in self.rows.items() if at[0] == table}


class Store:
    """What plain SQLite says about a database file. Connections are closed after each question."""

    def __init__(self, path):
        self.path = path

    def ask(self, sql, *parameters):
        connection = sqlite3.connect(self.path, timeout=30, isolation_level=None)
        try:
            connection.text_factory = bytes
            return connection.execute(sql, parameters).fetchall()
        finally:
            connection.close()

    def names(self, sql, *parameters):
        return [row[0].decode() for row in self.ask(sql, *parameters)]

    def tables(self):
        """The ordinary tables of the application: those that could be tracked."""
        return self.names("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' "
                          "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_history\\_%' ESCAPE '\\' ORDER BY name")

    def captured(self):
        """The tables that capture triggers stand on."""
        return set(self.names("SELECT DISTINCT tbl_name FROM sqlite_master WHERE type = 'trigger' "
                              "AND name LIKE '\\_history\\_%' ESCAPE '\\' AND tbl_name NOT LIKE 'history\\_author' ESCAPE '\\'"))

    def rows(self, table):
        """The rows of a table as {key: {column: cell}}."""
        columns = self.ask("SELECT name, pk FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid", table)
        names = [name.decode() for name, _ in columns]
        key = [name.decode() for name, place in sorted(columns, key=lambda c: c[1]) if place]
        rowid = next(r for r in ("rowid", "_rowid_", "oid") if r not in [n.lower() for n in names])
        picked = names if key else [rowid, *names]
        found = self.ask(f"SELECT {', '.join(f'typeof({quote(n)}), {quote(n)}' for n in picked)} FROM {quote(table)}")
        result = {}
        for row in found:
            values = {name: stored(row[2 * i].decode(), row[2 * i + 1]) for i, name in enumerate(picked)}
            result[tuple(values[k] for k in key) if key else (values.pop(rowid),)] = values
        return result

    def integrity(self):
        found = self.names("PRAGMA integrity_check")
        if found != ["ok"]:
            raise Wrong(f"integrity_check: {found[:3]}")


def quote(name):
    return '"' + name.replace('"', '""') + '"'


def compare(rows, store, tables, when):
    """Replayed rows and stored rows must be equal, with storage classes."""
    for table in tables:
        said, held = rows.of(table), store.rows(table)
        for key in held.keys() | said.keys():
            if said.get(key) != held.get(key):
                gives, holds = apart(said.get(key), held.get(key))
                raise Wrong(f"{when}: {table} {brief(key)}: the stream gives {gives}, the table holds {holds}")
    strange = {at[0] for at in rows.rows} - set(tables)
    if strange:
        raise Wrong(f"{when}: rows of tables that are not tracked: {sorted(strange)}")


def apart(one, other):
    """Two rows as text, without the columns in which they agree."""
    if one is None or other is None:
        return brief(one), brief(other)
    differing = [c for c in {**one, **other} if one.get(c) != other.get(c)]
    return brief({c: one.get(c) for c in differing}), brief({c: other.get(c) for c in differing})


def brief(row):
    text = "no row" if row is None else repr(row)
    return text if len(text) < 300 else text[:300] + "…"
