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
    try guarding {
      do throws(SQLiteError) {
        try connection.execute(script)
      } catch  where error.code.primary == .auth {
        throw HistoryError.notPartOfOne(error, of: script)
      }
    }
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
      self = .notPartOfOne(error, of: error.sql ?? "")
    default:
      self.init(error, at: path)
    }
  }

  /// SQL that was refused in a tagged transaction.
  ///
  /// - Parameters:
  ///   - error: What SQLite said; its SQL is what was left of the script.
  ///   - script: The whole of it.
  /// - Returns: An error that names the keyword and, in a script of several lines, the line. Nothing
  ///   else of the SQL is in it, where values may stand.
  fileprivate static func notPartOfOne(_ error: SQLiteError, of script: String) -> HistoryError {
    let first = SQLTokens(error.sql ?? "").first { $0.text != ";" }
    let keyword = refused.first { first?.isKeyword($0) == true }
    var place = ""
    if let rest = error.sql, let first, script.utf8.contains(UInt8(ascii: "\n")) {
      let length = script.utf8.count - rest.utf8.count + rest[..<first.text.startIndex].utf8.count
      place = "line \(script.utf8.prefix(length).count { $0 == UInt8(ascii: "\n") } + 1): "
    }
    return HistoryError(
      .statementFailed,
      "\(place)\(keyword ?? "the SQL holds something that") cannot be part of one tagged transaction",
      hint: "leave out BEGIN, COMMIT, ROLLBACK, ATTACH, VACUUM and history_author; "
        + "savepoints are fine",
      cause: error)
  }

  private static let refused = [
    "BEGIN", "COMMIT", "END", "ROLLBACK", "ATTACH", "DETACH", "VACUUM",
  ]
}
