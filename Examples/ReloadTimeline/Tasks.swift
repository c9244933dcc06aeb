import HistoryKit

/// The store that app, widget and intent share, as each of them knows it.
enum Tasks {
  /// What the widget shows, without opening the store.
  struct Facts: Codable, Sendable {
    var open: [String] = []
  }

  /// The tables of version 1, as an older app has left them.
  static let first = "CREATE TABLE tasks(id INTEGER PRIMARY KEY, title TEXT NOT NULL UNIQUE)"

  /// The version that all three were built for.
  static let schema = 2

  /// The versions of the schema.
  ///
  /// Only the app has a use for it: nobody else can be given a plan.
  static func plan() throws -> MigrationPlan {
    try MigrationPlan([
      SchemaVersion(1, "tasks", .lightweight(first)),
      SchemaVersion(
        2, "shown", .lightweight("ALTER TABLE tasks ADD COLUMN shown INTEGER NOT NULL DEFAULT 0")),
    ])
  }

  /// Where the widget finds what it shows.
  static func facts(of database: String) -> String { database + ".facts.json" }
}
