import SQLite

/// What `PRAGMA foreign_key_check` finds, as numbers: which rows they are is told nobody.
enum ForeignKeyCheck {
  /// How many rows of each table refer to one that is not there.
  ///
  /// - Parameter connection: A connection to the database.
  /// - Returns: The numbers, of the tables that have any.
  /// - Throws: `SQLiteError`, also when a foreign key fits no key of its parent.
  /// - Complexity: O(*n* log *n*) for *n* rows of tables with foreign keys.
  static func counts(_ connection: Connection) throws(SQLiteError) -> [String: Int] {
    let statement = try connection.prepare("PRAGMA foreign_key_check")
    var counts: [String: Int] = [:]
    while try statement.step() { counts[statement.text(at: 0) ?? "", default: 0] += 1 }
    return counts
  }
}
