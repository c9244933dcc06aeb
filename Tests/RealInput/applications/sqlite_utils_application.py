"""sqlite-utils: rows inserted, upserted and replaced through its library and its command line, tables transformed."""
import json
import subprocess
import sys

import application
import sqlite_utils


def reading(i, value=None):
    return {
        "id": i, "station": f"s{i % 7}", "value": i / 3 if value is None else value,
        "raw": bytes([i % 256, 0, 255]), "note": None if i % 5 == 0 else f"reading {i} – ünïcode 'quoted'",
    }


def prepare(path):
    db = sqlite_utils.Database(path)
    db["stations"].insert_all(
        ({"id": f"s{i}", "name": f"Station {i}", "height": i * 11.5} for i in range(7)), pk="id")
    db["readings"].insert_all(
        (reading(i) for i in range(500)), pk="id", foreign_keys=[("station", "stations", "id")])
    db["readings"].create_index(["station"])
    db["log"].insert_all({"line": f"line {i}"} for i in range(50))  # no primary key
    db["pairs"].insert_all(
        ({"a": i, "b": f"b{i % 3}", "weight": 1.0} for i in range(60)), pk=("a", "b"))
    db["articles"].insert_all(
        ({"id": i, "title": f"Title {i}", "body": "words " * 20} for i in range(50)), pk="id")
    db["articles"].enable_fts(["title", "body"], create_triggers=True)
    db.close()


def work(path):
    db = sqlite_utils.Database(path)
    readings = db["readings"]
    readings.insert_all(reading(i) for i in range(1000, 4000))
    readings.upsert_all((reading(i, value=-0.0 if i % 2 else 1e300) for i in range(800, 1600)), pk="id")
    readings.upsert_all(({"id": i, "note": "only the note"} for i in range(100, 300)), pk="id")
    readings.insert_all((reading(i, value=i) for i in range(200)), replace=True)
    readings.insert_all((reading(i) for i in range(100, 900)), ignore=True)
    for i in range(40):
        readings.update(i, {"value": i * 0.1, "note": None})
        db["log"].insert({"line": f"updated {i}"})
    readings.delete_where("id % 10 = ?", [3])
    db["pairs"].upsert_all(
        ({"a": i, "b": f"b{i % 3}", "weight": i + 0.5} for i in range(30, 120)), pk=("a", "b"))
    db["articles"].upsert_all(
        ({"id": i, "title": f"New title {i}", "body": "other words " * 30} for i in range(25, 75)), pk="id")
    db["log"].delete_where("rowid < 20")
    assert readings.count == 3600, readings.count
    assert len(list(db["articles"].search("other"))) == 50
    db.close()


def command_line(*arguments, input=None):
    subprocess.run([sys.executable, "-m", "sqlite_utils", *arguments], input=input, check=True, text=True, stdout=subprocess.DEVNULL)


def more(path):
    rows = json.dumps([{"id": i, "station": "s1", "value": 0.1 + 0.2, "note": "by command"} for i in range(9000, 9100)])
    command_line("insert", path, "readings", "-", "--pk", "id", input=rows)
    rows = json.dumps([{"id": i, "value": 9007199254740993} for i in range(9050, 9100)])
    command_line("upsert", path, "readings", "-", "--pk", "id", input=rows)
    command_line("insert", path, "readings", "-", "--pk", "id", "--replace", input=json.dumps({"id": 9001, "station": "s2"}))
    command_line("insert", path, "log", "-", "--csv", input="line\nfrom a table\n")
    command_line("query", path, "update readings set note = :n where id > 9080", "-p", "n", "0")


def change(path):
    db = sqlite_utils.Database(path)
    db["readings"].transform(types={"value": str}, rename={"note": "remark"}, not_null={"station"})
    db["readings"].insert_all(
        {"id": i, "station": "s3", "value": str(i), "remark": "while nobody looked"} for i in range(20000, 20020))
    db["log"].insert_all(({"line": f"l{i}", "level": i} for i in range(10)), alter=True)
    db["weather"].insert_all(({"id": i, "sky": "grey"} for i in range(10)), pk="id")
    db.close()
    command_line("transform", path, "pairs", "--type", "weight", "integer", "--default", "weight", "0")


def work_again(path):
    db = sqlite_utils.Database(path)
    db["readings"].upsert_all(({"id": i, "station": "s4", "value": "x", "remark": "again"} for i in range(19990, 20010)), pk="id")
    db["readings"].insert({"id": 1, "station": "s5", "value": "1", "remark": None}, replace=True)
    db["log"].insert_all({"line": f"m{i}", "level": i} for i in range(10))
    db["weather"].upsert_all(({"id": i, "sky": "blue"} for i in range(5, 15)), pk="id")
    db["pairs"].delete_where("a > 50")
    db.close()


if __name__ == "__main__":
    application.main(globals())
