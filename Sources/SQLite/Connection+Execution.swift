private import CSQLite
public import HistoryModel

extension Connection {
  /// Prepares one statement that will be run many times.
  ///
  /// The corresponding SQLite function is `sqlite3_prepare_v3` with `SQLITE_PREPARE_PERSISTENT`,
  /// see <https://www.sqlite.org/c3ref/prepare.html>.
  ///
  /// - Parameter sql: The text of exactly one statement.
  /// - Returns: The statement.
  /// - Throws: ``SQLiteError`` if the text is wrong, holds no statement or more than one.
  public func prepare(_ sql: String) throws(SQLiteError) -> Statement {
    try only(in: sql, flags: UInt32(SQLITE_PREPARE_PERSISTENT))
  }

  private func only(in sql: String, flags: UInt32 = 0) throws(SQLiteError) -> Statement {
    var script = Script(sql, on: self, flags: flags)
    guard let statement = try script.next() else {
      throw SQLiteError(code: .misuse, message: "the text holds no statement", sql: sql)
    }
    guard try script.next() == nil else {
      throw SQLiteError(
        code: .misuse, message: "the text holds more than one statement", sql: sql)
    }
    return statement
  }

  /// Prepares the statements of a script one after the other.
  ///
  /// Each is prepared when those before it have been handled, so it may use what they made.
  /// Comments and empty statements are passed over.
  ///
  /// - Parameters:
  ///   - script: Any number of statements.
  ///   - body: What to do with each.
  /// - Throws: ``SQLiteError`` if the text is wrong, and whatever `body` throws.
  public func forEachStatement(
    in script: String, _ body: (Statement) throws -> Void
  ) throws {
    var script = Script(script, on: self)
    while let statement = try script.next() { try body(statement) }
  }

  /// Runs the statements of a script one after the other and passes over their rows.
  ///
  /// - Parameter script: Any number of statements.
  /// - Throws: ``SQLiteError`` of the first one that fails, with the code `.range` where it has a
  ///   parameter, for which there is no value; those before it have run.
  public func execute(_ script: String) throws(SQLiteError) {
    var script = Script(script, on: self)
    while let statement = try script.next() {
      if let name = statement.firstParameter {
        throw SQLiteError(
          code: .range, message: "the SQL has a parameter \(name), and no value for it")
      }
      try statement.run()
    }
  }

  /// Runs one statement and passes over its rows.
  ///
  /// - Parameters:
  ///   - sql: The text of exactly one statement.
  ///   - arguments: Values for all of its parameters.
  /// - Throws: ``SQLiteError`` if the text is wrong or the statement fails.
  public func run(_ sql: String, _ arguments: StoredValue...) throws(SQLiteError) {
    let statement = try only(in: sql)
    try statement.bind(arguments)
    try statement.run()
  }

  /// Runs one statement up to its first row; one that may write, to its end.
  ///
  /// - Parameters:
  ///   - sql: The text of exactly one statement.
  ///   - arguments: Values for all of its parameters.
  /// - Returns: The row, or nil if there is none.
  /// - Throws: ``SQLiteError`` if the text is wrong or the statement fails.
  public func row(_ sql: String, _ arguments: StoredValue...) throws(SQLiteError) -> [StoredValue]?
  {
    let statement = try only(in: sql)
    try statement.bind(arguments)
    guard try statement.step() else { return nil }
    let row = statement.row
    // What it writes is committed at its end, and only that tells whether it could be.
    if !statement.isReadOnly { try statement.run() }
    return row
  }

  /// Runs one statement and collects its rows.
  ///
  /// - Parameters:
  ///   - sql: The text of exactly one statement.
  ///   - arguments: Values for all of its parameters.
  /// - Returns: The rows, in order.
  /// - Throws: ``SQLiteError`` if the text is wrong or the statement fails.
  public func rows(
    _ sql: String, _ arguments: StoredValue...
  ) throws(SQLiteError) -> [[StoredValue]] {
    let statement = try only(in: sql)
    try statement.bind(arguments)
    var rows: [[StoredValue]] = []
    while try statement.step() { rows.append(statement.row) }
    return rows
  }
}
