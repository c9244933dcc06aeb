import HistoryModel
import StoreBoundary

/// The versions of a store of tasks, each of which changes it in another way.
enum TaskPlan {
  /// The versions as far as one of them.
  static func versions(through last: Int) -> [SchemaVersion] {
    all.filter { $0.number <= last }
  }

  /// A stage that does much and fails then.
  static func failing(_ number: Int) -> SchemaVersion {
    SchemaVersion(
      number, "bad",
      .lightweight("DELETE FROM tasks; DROP TABLE tasks; SELECT no_such_column FROM lists"))
  }

  /// What a widget of a version shows.
  static func query(_ version: Int) -> String {
    version < 3
      ? "SELECT id, name FROM tasks ORDER BY id" : "SELECT id, title, due FROM tasks ORDER BY id"
  }

  private static let all: [SchemaVersion] = [
    SchemaVersion(
      1, "tasks",
      .lightweight(
        """
        CREATE TABLE IF NOT EXISTS tasks(id INTEGER PRIMARY KEY, name TEXT, done INT DEFAULT 0);
        INSERT INTO tasks(name) VALUES ('bread'), (NULL), ('milk');
        """)),
    SchemaVersion(
      2, "lists",
      .lightweight(
        """
        CREATE TABLE lists(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
        INSERT INTO lists(name) VALUES ('home');
        ALTER TABLE tasks ADD COLUMN list REFERENCES lists(id) DEFAULT NULL;
        UPDATE tasks SET list = 1 WHERE name IS NOT NULL;
        """)),
    SchemaVersion(
      3, "titles",
      .custom(
        "titles",
        sql: """
          ALTER TABLE tasks RENAME COLUMN name TO title;
          ALTER TABLE tasks ADD COLUMN due TEXT DEFAULT 'someday';
          """,
        willMigrate: { try $0.run("UPDATE tasks SET name = 'untitled' WHERE name IS NULL") },
        didMigrate: { context in
          var done = 0
          try context.forEachBatch(of: "SELECT id, title FROM tasks", size: 2) { batch in
            for row in batch {
              try context.run("UPDATE tasks SET title = upper(?) WHERE id = ?", row[1], row[0])
            }
            done += batch.count
            context.advance(done)
          }
        })),
    SchemaVersion(
      4, "rebuilt",
      .lightweight(
        """
        CREATE TABLE new_tasks(
          id INTEGER PRIMARY KEY, title TEXT NOT NULL, due TEXT DEFAULT 'someday',
          list INT REFERENCES lists(id));
        INSERT INTO new_tasks SELECT id, title, due, list FROM tasks;
        DROP TABLE tasks;
        ALTER TABLE new_tasks RENAME TO tasks;
        INSERT INTO tasks(title) VALUES ('new');
        """)),
  ]
}
