import HistoryModel
import HistoryStore

/// What stages do to tables.
extension CaptureInStepTests {
  static let columns: [Scenario] = [
    Scenario(name: "nothing", stage: "SELECT 1; -- nothing", count: 0),
    Scenario(
      name: "rows of all kinds",
      stage: """
        INSERT INTO t VALUES (4, 'four', 40); UPDATE t SET a = 'x' WHERE id < 3;
        UPDATE t SET id = 9 WHERE id = 3; DELETE FROM t WHERE id = 1; REPLACE INTO t VALUES (5, 'f', 40);
        INSERT INTO t VALUES (2, 'y', 50) ON CONFLICT(id) DO UPDATE SET a = excluded.a
        """),
    Scenario(
      name: "ADD COLUMN", stage: "ALTER TABLE t ADD COLUMN b",
      notices: [.init(table: "t", .schema(.columnsAdded(["b"])))], defaults: ["b": nil], count: 0),
    Scenario(
      name: "ADD COLUMN and fill it",
      stage:
        "ALTER TABLE t ADD COLUMN b DEFAULT 5; UPDATE t SET b = id WHERE id > 1; INSERT INTO t VALUES (4, 'x', 1, 2)",
      notices: [.init(table: "t", .schema(.columnsAdded(["b"])))], defaults: ["b": 5], count: 3),
    Scenario(
      name: "rows before and after ADD COLUMN",
      stage: """
        UPDATE t SET a = 'before'; ALTER TABLE t ADD COLUMN b; UPDATE t SET b = 1, a = 'after';
        ALTER TABLE t ADD COLUMN c DEFAULT 'c'; DELETE FROM t WHERE id = 2
        """,
      notices: [
        .init(table: "t", .schema(.columnsAdded(["b"]))),
        .init(table: "t", .schema(.columnsAdded(["c"]))),
      ], defaults: ["b": nil, "c": "c"], count: 7),
    Scenario(
      name: "DROP COLUMN",
      stage: "UPDATE t SET a = 'x'; ALTER TABLE t DROP COLUMN a; UPDATE t SET u = id",
      notices: [.init(table: "t", .schema(.columnsRemoved(["a"])))], count: 6),
    Scenario(
      name: "DROP COLUMN with quotes, a schema and comments",
      stage: "/* a */ ALTER -- b\n TABLE \"main\" . [T] DROP \"a\"; DELETE FROM t WHERE id = 1",
      notices: [.init(table: "t", .schema(.columnsRemoved(["a"])))], count: 1),
    Scenario(
      name: "DROP COLUMN twice and ADD the name again",
      schema: "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, c); INSERT INTO t VALUES (1, 2, 3, 4)",
      stage:
        "ALTER TABLE t DROP a; ALTER TABLE t DROP b; ALTER TABLE t ADD a DEFAULT 7; UPDATE t SET c = a",
      notices: [
        .init(table: "t", .schema(.columnsRemoved(["a"]))),
        .init(table: "t", .schema(.columnsRemoved(["b"]))),
        .init(table: "t", .schema(.columnsAdded(["a"]))),
      ], defaults: ["a": 7], count: 1),
    Scenario(
      name: "RENAME COLUMN",
      stage: "ALTER TABLE t RENAME COLUMN a TO title; UPDATE t SET title = 'x'",
      notices: [.init(table: "t", .schema(.columnsRenamed(["title"])))], renames: ["title": "a"],
      count: 3),
    Scenario(
      name: "RENAME COLUMN of the key",
      stage: "ALTER TABLE t RENAME id TO key; DELETE FROM t WHERE key = 2",
      notices: [.init(table: "t", .schema(.columnsRenamed(["key"])))], renames: ["key": "id"],
      count: 1),
    Scenario(
      name: "a UNIQUE index added, and rows replaced through it",
      stage: "CREATE UNIQUE INDEX i ON t(a); REPLACE INTO t VALUES (7, 'one', 70)",
      notices: [.init(table: "t", .gap(.captureWasMissing))]),
    Scenario(
      name: "an index and a view",
      stage:
        "CREATE INDEX i ON t(a); CREATE VIEW v AS SELECT a FROM t; ANALYZE; UPDATE t SET a = 1",
      count: 3),
    Scenario(
      name: "a trigger of the application",
      stage: """
        CREATE TRIGGER z AFTER INSERT ON t BEGIN UPDATE t SET a = 'z' WHERE id = NEW.id; END;
        INSERT INTO t VALUES (4, 'x', 1)
        """, count: 2),
  ]

  static let oddities: [Scenario] = [
    Scenario(
      name: "a generated column added",
      schema: """
        CREATE TABLE t(id INTEGER PRIMARY KEY, u INT); INSERT INTO t VALUES (1, 10), (2, 10)
        """,
      stage: """
        ALTER TABLE t ADD COLUMN g AS (u * 2); UPDATE t SET u = 5 WHERE id = 1;
        DELETE FROM t WHERE id = 2
        """,
      notices: [.init(table: "t", .schema(.columnsAdded(["g"])))], defaults: ["g": 20], count: 2),
    Scenario(
      name: "a generated column dropped",
      schema:
        "CREATE TABLE t(id INTEGER PRIMARY KEY, a INT, g AS (a * 2)); INSERT INTO t(id, a) VALUES (1, 1)",
      stage: "UPDATE t SET a = 3; ALTER TABLE t DROP COLUMN g; UPDATE t SET a = 9"),
    Scenario(
      name: "a STRICT table",
      schema:
        "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b ANY) STRICT; INSERT INTO t VALUES (1, 'x', 2.5)",
      stage:
        "ALTER TABLE t DROP COLUMN a; ALTER TABLE t ADD COLUMN c REAL; UPDATE t SET c = 2, b = x'01'",
      defaults: ["c": nil]),
    Scenario(
      name: "names that want quotes",
      schema:
        "CREATE TABLE \"t \"\"ä\"(\"ké y\" INTEGER PRIMARY KEY, \"drop\", [a b]); INSERT INTO \"t \"\"ä\" VALUES (1, 2, 3)",
      stage:
        "UPDATE \"T \"\"ä\" SET \"drop\" = 9; ALTER TABLE `t \"ä` DROP COLUMN \"drop\"; UPDATE [t \"ä] SET [a b] = 4"
    ),
    Scenario(
      name: "a full-text index beside the table",
      schema: Scenario.plain
        + "; CREATE VIRTUAL TABLE f USING fts5(a, content='t', content_rowid='id')",
      stage:
        "INSERT INTO f(f) VALUES ('rebuild'); UPDATE t SET a = 'x'; INSERT INTO f(f) VALUES ('rebuild')",
      count: 3),
    Scenario(
      name: "a new table, which nobody asked to track",
      stage: "CREATE TABLE n(x); INSERT INTO n VALUES (1); UPDATE t SET a = 'x' WHERE id = 1",
      count: 1),
    Scenario(
      name: "savepoints over changes of the schema, keyed by the rowid",
      schema: "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 2), (3, 4)",
      stage: """
        UPDATE t SET b = 1; SAVEPOINT x; CREATE INDEX i ON t(a); UPDATE t SET b = 0; ALTER TABLE t DROP COLUMN b; ROLLBACK TO x;
        UPDATE t SET b = 5 WHERE a = 1; SAVEPOINT y; CREATE INDEX j ON t(b); DELETE FROM t WHERE a = 3; ROLLBACK TO x;
        RELEASE x; CREATE UNIQUE INDEX k ON t(a); REPLACE INTO t VALUES (1, 9)
        """),
    Scenario(
      name: "a table with nothing but a key",
      schema: "CREATE TABLE t(id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1), (2)",
      stage:
        "DELETE FROM t WHERE id = 1; ALTER TABLE t ADD COLUMN a DEFAULT 1; INSERT INTO t VALUES (3, 3)",
      notices: [.init(table: "t", .schema(.columnsAdded(["a"])))], defaults: ["a": 1], count: 2),
    Scenario(
      name: "RENAME of a column to the name of one that was dropped",
      stage:
        "ALTER TABLE t RENAME COLUMN a TO b; UPDATE t SET b = 'x' WHERE id = 1; ALTER TABLE t ADD COLUMN a DEFAULT 'new'; UPDATE t SET a = b WHERE id = 2",
      renames: ["b": "a"], defaults: ["a": "new"]),
  ]

  static let tables: [Scenario] = [
    Scenario(
      name: "RENAME TABLE", stage: "ALTER TABLE t RENAME TO s; UPDATE s SET a = 'x'",
      notices: [.init(table: "t", .schema(.tableRenamed("s")))], count: 3),
    Scenario(
      name: "tables swapped",
      schema: Scenario.plain
        + "; CREATE TABLE s(id INTEGER PRIMARY KEY, a TEXT, u INT); INSERT INTO s VALUES (1, 's', 2)",
      stage:
        "ALTER TABLE t RENAME TO x; ALTER TABLE s RENAME TO t; ALTER TABLE x RENAME TO s; UPDATE t SET a = 't'",
      notices: [
        .init(table: "t", .schema(.tableRenamed("x"))),
        .init(table: "s", .schema(.tableRenamed("t"))),
        .init(table: "x", .schema(.tableRenamed("s"))),
      ], count: 1),
    Scenario(
      name: "renamed away and made anew, with legacy_alter_table",
      stage: """
        PRAGMA legacy_alter_table = ON; ALTER TABLE t RENAME TO old_t;
        CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, u INT); INSERT INTO t SELECT * FROM old_t;
        DROP TABLE old_t; PRAGMA legacy_alter_table = OFF; UPDATE t SET a = 'after'
        """),
    Scenario(
      name: "two tables rebuilt that refer to each other",
      schema: Scenario.plain
        + "; CREATE TABLE c(id INTEGER PRIMARY KEY, p REFERENCES t(id)); INSERT INTO c VALUES (1, 1)",
      stage: """
        CREATE TABLE new_c(id INTEGER PRIMARY KEY, p INT NOT NULL REFERENCES t(id));
        INSERT INTO new_c SELECT * FROM c; CREATE TABLE new_t(id INTEGER PRIMARY KEY, a);
        INSERT INTO new_t SELECT id, a FROM t; DROP TABLE c; DROP TABLE t;
        ALTER TABLE new_t RENAME TO t; ALTER TABLE new_c RENAME TO c; UPDATE t SET a = 1
        """),
    Scenario(
      name: "DROP TABLE", stage: "DELETE FROM t WHERE id = 1; DROP TABLE t",
      notices: [.init(table: "t", .schema(.tableDropped))], count: 1),
    Scenario(
      name: "a rebuild by twelve steps",
      stage: """
        PRAGMA foreign_keys = OFF;
        CREATE TABLE new_t(id INTEGER PRIMARY KEY, a TEXT NOT NULL, u INT UNIQUE);
        INSERT INTO new_t SELECT id, ifnull(a, ''), u FROM t; DROP TABLE t;
        ALTER TABLE new_t RENAME TO t; PRAGMA foreign_key_check; UPDATE t SET a = 'after' WHERE id = 2
        """, notices: [.init(table: "t", .gap(.migrated))]),
    Scenario(
      name: "a rebuild by twelve steps, rows in between",
      stage: """
        UPDATE t SET a = 'before'; CREATE TABLE new_t AS SELECT * FROM t; UPDATE t SET a = 'lost';
        DROP TABLE t; UPDATE new_t SET a = 'uncaptured'; ALTER TABLE new_t RENAME TO t;
        INSERT INTO t VALUES (8, 'after', 80)
        """, notices: [.init(table: "t", .gap(.migrated))]),
    Scenario(
      name: "renamed away and made anew",
      stage: """
        UPDATE t SET a = 'before'; ALTER TABLE t RENAME TO old_t;
        CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t SELECT id, a FROM old_t;
        DROP TABLE old_t; INSERT INTO t VALUES (8, 'after')
        """,
      notices: [
        .init(table: "t", .schema(.tableRenamed("old_t"))),
        .init(table: "old_t", .schema(.tableDropped)), .init(table: "t", .gap(.migrated)),
      ]),
    Scenario(
      name: "dropped and made anew",
      stage: "DROP TABLE t; CREATE TABLE t(id INTEGER PRIMARY KEY, b); INSERT INTO t VALUES (1, 2)"),
    Scenario(
      name: "WITHOUT ROWID with a key of two columns",
      schema: """
        CREATE TABLE t(a TEXT, b INT, c, PRIMARY KEY (a, b)) WITHOUT ROWID;
        INSERT INTO t VALUES ('x', 1, 2), ('x', 2, NULL), ('y', 1, 'z')
        """,
      stage: """
        UPDATE t SET c = 3 WHERE b = 2; ALTER TABLE t ADD COLUMN d DEFAULT 1.5; UPDATE t SET b = 9 WHERE a = 'y';
        ALTER TABLE t DROP COLUMN c; DELETE FROM t WHERE a = 'x' AND b = 1
        """,
      notices: [
        .init(table: "t", .schema(.columnsAdded(["d"]))),
        .init(table: "t", .schema(.columnsRemoved(["c"]))),
      ], defaults: ["d": 1.5], count: 3),
    Scenario(
      name: "a table keyed by its rowid",
      schema: "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 2), (3, 4)",
      stage: "INSERT INTO t VALUES (5, 6); ALTER TABLE t DROP COLUMN b; DELETE FROM t WHERE a = 1",
      notices: [.init(table: "t", .schema(.columnsRemoved(["b"])))], count: 2),
    Scenario(
      name: "generated columns",
      schema: """
        CREATE TABLE t(id INTEGER PRIMARY KEY, a INT, g AS (a * 2), s AS (a + 1) STORED);
        INSERT INTO t(id, a) VALUES (1, 1), (2, 2)
        """,
      stage:
        "UPDATE t SET a = 5; ALTER TABLE t ADD COLUMN b; UPDATE t SET b = g + s; DELETE FROM t WHERE id = 1",
      notices: [.init(table: "t", .schema(.columnsAdded(["b"])))], defaults: ["b": nil], count: 5),
    Scenario(
      name: "a parent with foreign keys to it",
      schema: Scenario.plain
        + "; CREATE TABLE c(id INTEGER PRIMARY KEY, p REFERENCES t(id) ON DELETE CASCADE); INSERT INTO c VALUES (1, 1)",
      stage:
        "DELETE FROM c; DELETE FROM t WHERE id = 1; ALTER TABLE t ADD COLUMN b; ALTER TABLE c DROP COLUMN p",
      notices: [
        .init(table: "t", .schema(.columnsAdded(["b"]))),
        .init(table: "c", .schema(.columnsRemoved(["p"]))),
      ], defaults: ["b": nil], count: 2),
  ]
}

extension CaptureInStepTests.Scenario {
  /// A table with a key, a text and something unique.
  static let plain = """
    CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, u INT UNIQUE);
    INSERT INTO t VALUES (1, 'one', 10), (2, NULL, 20), (3, 'three', NULL)
    """
}
