import HistoryModel
import SQLite

/// Every sentence about a query that is observed.
extension HistoryError {
  static var emptyQuery: HistoryError {
    HistoryError(.usage, "the query is empty", hint: "give one SELECT statement")
  }

  static var severalQueries: HistoryError {
    HistoryError(
      .usage, "the query is more than one statement",
      hint: "give one SELECT statement; UNION ALL joins several")
  }

  static var notReading: HistoryError {
    HistoryError(
      .usage, "the query is not a statement that only reads",
      hint: "give one SELECT statement, with WITH before it if need be")
  }

  /// The query does not begin like any statement.
  static func misspelt(_ word: Substring) -> HistoryError {
    HistoryError(
      .usage, "the query is no SQL: near \"\(word.prefix(40))\": syntax error",
      hint: "give one SELECT statement, with WITH before it if need be")
  }

  /// Runs something whose failures are the query's, unless they are the store's.
  static func ofQuery<T>(_ body: () throws(SQLiteError) -> T) throws -> T {
    do {
      return try body()
    } catch {
      switch error.code.primary {
      case .error, .mismatch, .misuse, .tooBig, .range, .auth, .constraint:
        throw HistoryError(
          .statementFailed, "the query failed: \(error.message)",
          hint: "try it in the sqlite3 shell", cause: error)
      case .interrupt:
        throw HistoryError(
          .statementFailed, "the query takes longer than others can wait for it",
          hint: "narrow it, add an index, or give it a process of its own: historywatch results",
          cause: error)
      default:
        throw error
      }
    }
  }

  static func readsUntracked(_ table: String, isTrackable: Bool, at path: String) -> HistoryError {
    HistoryError(
      .notTracked, "the query reads \(table), which is not tracked",
      hint: isTrackable
        ? "track it with: historywatch track \(path) \(table)"
        : "only tables whose changes are captured can be observed")
  }

  static func noSuchColumn(_ column: String, among columns: [String]) -> HistoryError {
    HistoryError(
      .usage, "the query has no column \(column)",
      hint: "its columns are: \(columns.joined(separator: ", "))")
  }

  static func noSuchParameter(_ name: String, among names: [String]) -> HistoryError {
    HistoryError(
      .usage, "the query has no parameter \(name)",
      hint: names.isEmpty
        ? "it has no parameters; they are written as :name"
        : "its parameters are: \(names.joined(separator: ", "))")
  }

  static func missingArgument(_ name: String) -> HistoryError {
    HistoryError(
      .usage, "the query's parameter \(name) has no value",
      hint: "give each parameter a value; NULL is one")
  }

  static func tooManyArguments(_ given: Int, parameters: Int) -> HistoryError {
    HistoryError(
      .usage, "the query has \(parameters) parameters, and \(given) values were given",
      hint: "give each parameter one value")
  }
}
