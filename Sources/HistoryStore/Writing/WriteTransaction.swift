public import HistoryModel
import SQLite

/// What a body given to ``StoreWriter/write(author:context:_:)`` may do: run SQL, as a part of one
/// tagged transaction.
///
/// Values go in and come out as ``/HistoryModel/StoredValue``; nothing of SQLite's handles escapes.
/// It is of no use once the body has returned.
public final class WriteTransaction {
  private let connection: Connection
  private var isOver = false

  init(_ connection: Connection) { self.connection = connection }

  func end() { isOver = true }

  /// Runs one statement.
  ///
  /// - Parameters:
  ///   - sql: The statement.
  ///   - arguments: The values of its parameters, in order.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `statementFailed` and SQLite's message.
  public func run(_ sql: String, _ arguments: StoredValue...) throws(HistoryError) {
    _ = try step(sql, arguments)
  }

  /// Runs one statement and returns its rows.
  ///
  /// - Parameters:
  ///   - sql: The statement.
  ///   - arguments: The values of its parameters, in order.
  /// - Returns: The rows, in the order in which SQLite gave them.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `statementFailed` and SQLite's message.
  public func rows(
    _ sql: String, _ arguments: StoredValue...
  ) throws(HistoryError) -> [[StoredValue]] {
    try step(sql, arguments)
  }

  /// Runs one statement and returns its rows.
  ///
  /// - Parameters:
  ///   - sql: The statement.
  ///   - arguments: The values of its parameters, in order.
  /// - Returns: The rows, in the order in which SQLite gave them.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `statementFailed` and SQLite's message.
  package func rows(
    _ sql: String, arguments: [StoredValue]
  ) throws(HistoryError) -> [[StoredValue]] {
    try step(sql, arguments)
  }

  /// Runs every statement of a script; rows are passed over.
  ///
  /// - Parameter script: SQL statements parted by semicolons.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `statementFailed` and SQLite's message.
  public func execute(_ script: String) throws(HistoryError) {
    try guarding { try connection.execute(script) }
  }

  private func step(
    _ sql: String, _ arguments: [StoredValue]
  ) throws(HistoryError) -> [[StoredValue]] {
    try guarding {
      let statement = try connection.prepare(sql)
      try statement.bind(arguments)
      var rows: [[StoredValue]] = []
      while try statement.step() { rows.append(statement.row) }
      return rows
    }
  }

  private func guarding<T>(_ body: () throws -> T) throws(HistoryError) -> T {
    precondition(!isOver, "a WriteTransaction is of no use once its body has returned")
    // OR ROLLBACK may have ended the transaction; what followed would be committed by itself.
    guard connection.isInTransaction else { throw .rolledBackBySQLite }
    do {
      let result = try body()
      guard connection.isInTransaction else { throw HistoryError.rolledBackBySQLite }
      return result
    } catch let error as SQLiteError {
      throw HistoryError(sql: error, at: connection.path)
    } catch let error as HistoryError {
      throw error
    } catch {
      throw HistoryError(unforeseen: error)
    }
  }
}

extension HistoryError {
  static var rolledBackBySQLite: HistoryError {
    HistoryError(.statementFailed, "the SQL ended the transaction", hint: "nothing was changed")
  }

  /// What SQLite said of a caller's SQL, which it names the fault of.
  init(sql error: SQLiteError, at path: String) {
    switch error.code.primary {
    case .error, .constraint, .misuse, .mismatch, .range, .tooBig, .abort:
      self.init(
        .statementFailed, error.message, hint: "nothing was changed: the SQL was rolled back",
        cause: error)
    case .auth:
      self.init(
        .statementFailed,
        "the SQL holds something that cannot be part of one tagged transaction",
        hint:
          "leave out COMMIT, ROLLBACK, ATTACH, VACUUM and history_author; savepoints are fine",
        cause: error)
    default:
      self.init(error, at: path)
    }
  }
}
