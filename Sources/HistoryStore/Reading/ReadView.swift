public import HistoryModel
package import SQLite

/// The store as it is at one position of its history.
///
/// All that is read through it, and ``token``, are of one read transaction: what was read is exactly
/// what reading on from the token adds to. It is of no use once the body that it was given to has
/// returned.
public final class ReadView {
  /// The position at which the store is so.
  public let token: HistoryToken
  /// The connection that is in the transaction.
  package let connection: Connection
  private var isOver = false

  init(_ connection: Connection, at token: HistoryToken) {
    self.connection = connection
    self.token = token
  }

  func end() { isOver = true }

  /// Reads the rows of a query.
  ///
  /// - Parameters:
  ///   - sql: One statement that only reads.
  ///   - arguments: The values of its parameters, in order.
  /// - Returns: The rows, in the order in which SQLite gave them.
  /// - Throws: ``HistoryModel/HistoryError`` with code `statementFailed` and SQLite's message, and
  ///   `usage` where it would write.
  /// - Complexity: O(*n*) for *n* bytes of values.
  public func rows(
    _ sql: String, _ arguments: any ColumnValue...
  ) throws(HistoryError) -> [StoredRow] {
    precondition(!isOver, "a ReadView is of no use once its body has returned")
    do {
      let statement = try connection.prepare(sql)
      // What ends the transaction, or attaches a file, writes nothing either, but gives no rows.
      guard statement.isReadOnly, statement.columnCount > 0 else { throw HistoryError.onlyReads }
      try statement.bind(arguments.map(\.storedValue))
      return try StoredRow.all(of: statement)
    } catch let error as SQLiteError {
      throw HistoryError(sql: error, at: connection.path)
    } catch let error as HistoryError {
      throw error
    } catch {
      throw HistoryError(unforeseen: error)
    }
  }
}

extension TrackedStore {
  /// Reads the store at one position of its history.
  ///
  /// - Parameter body: Reads what it wants, without staying long: with a rollback journal nobody
  ///   can write meanwhile, and a write-ahead log cannot be shortened.
  /// - Returns: What the body returned.
  /// - Throws: ``HistoryModel/HistoryError`` with code `notTracked`, and whatever the body throws.
  public func read<T>(_ body: (ReadView) throws -> T) throws -> T {
    do {
      return try connection.transaction(.deferred) {
        let view = ReadView(connection, at: try head(of: header()))
        defer { view.end() }
        return try body(view)
      }
    } catch let error as SQLiteError {
      throw HistoryError(error, at: path)
    }
  }
}

extension TrackedStore {
  /// Reads the store at one moment, whether or not it has a history.
  ///
  /// - Parameter body: Reads what it wants, without staying long; its second argument is the position
  ///   at which the store is so, nil where there is no history.
  /// - Returns: What the body returned.
  /// - Throws: `HistoryError` when the store cannot be read, and whatever the body throws.
  package func readEvenUntracked<T>(
    _ body: (Connection, HistoryToken?) throws -> T
  ) throws(HistoryError) -> T {
    try HistoryError.translating(at: path) {
      try connection.transaction(.deferred) {
        try body(connection, hasHistory() ? head(of: header()) : nil)
      }
    }
  }
}

extension HistoryError {
  fileprivate static var onlyReads: HistoryError {
    HistoryError(
      .usage, "the SQL does not read rows, and only that is possible here",
      hint: "write through a StoreWriter, or through ObservedStore.write")
  }
}
