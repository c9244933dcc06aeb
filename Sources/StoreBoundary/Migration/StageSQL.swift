import HistoryModel
import HistoryStore
import SQLite

/// Runs a stage's statements: what they may do is limited, and capture follows each.
final class StageSQL {
  private let connection: Connection
  private let capture: MigratingCapture?
  private let limits: BodyLimits

  /// Takes a connection in a write transaction, whose authorizer asks the limits.
  init(_ connection: Connection, _ capture: MigratingCapture?, _ limits: BodyLimits) {
    self.connection = connection
    self.capture = capture
    self.limits = limits
  }

  /// Runs every statement of a script; rows are passed over.
  func execute(_ script: String) throws(HistoryError) {
    try translating {
      try limited {
        try connection.forEachStatement(in: script) { try run($0) { try $0.run() } }
      }
    }
  }

  /// Runs one statement and returns its rows.
  func rows(
    _ sql: String, _ arguments: [StoredValue]
  ) throws(HistoryError) -> [[StoredValue]] {
    try translating {
      try limited {
        var rows: [[StoredValue]] = []
        let statement = try connection.prepare(sql)
        try statement.bind(arguments)
        try run(statement) { while try $0.step() { rows.append($0.row) } }
        return rows
      }
    }
  }

  /// How many columns a query has.
  func columnCount(of query: String) throws(HistoryError) -> Int {
    try translating { try limited { try connection.prepare(query).columnCount } }
  }

  private func run(_ statement: Statement, _ body: (Statement) throws -> Void) throws {
    try unlimited { try capture?.willRun(statement.sql) }
    // Where the schema has changed since, SQLite prepares it anew, within the limits.
    try body(statement)
    try unlimited { try capture?.didRun() }
  }

  private func limited<T>(_ body: () throws -> T) rethrows -> T {
    limits.isInForce = true
    defer { limits.isInForce = false }
    return try body()
  }

  /// Capture writes where stages may not.
  private func unlimited(_ body: () throws -> Void) rethrows {
    limits.isInForce = false
    defer { limits.isInForce = true }
    try body()
  }

  private func translating<T>(_ body: () throws -> T) throws(HistoryError) -> T {
    guard connection.isInTransaction else { throw .transactionEnded }
    do {
      let result = try body()
      guard connection.isInTransaction else { throw HistoryError.transactionEnded }
      return result
    } catch let error as SQLiteError {
      throw HistoryError(stage: error, at: connection.path)
    } catch let error as HistoryError {
      throw error
    } catch {
      throw HistoryError(unforeseen: error)
    }
  }
}
