private import CSQLite

/// A failure that SQLite reported.
///
/// Values bound to a statement never appear in it. The text of the statement does, and whoever
/// writes values into SQL text will find them there.
public struct SQLiteError: Error, Sendable {
  /// What failed, with its detail.
  public let code: ResultCode
  /// SQLite's own sentence.
  public let message: String
  /// The text of the statement that failed, if it was a statement.
  public let sql: String?
  /// Where in ``sql`` the fault is, in bytes, if SQLite can tell.
  public let offset: Int?

  /// Makes an error of its parts.
  ///
  /// - Parameters:
  ///   - code: What failed.
  ///   - message: One sentence about it.
  ///   - sql: The text of the statement.
  ///   - offset: Where in the text the fault is, in bytes.
  public init(code: ResultCode, message: String, sql: String? = nil, offset: Int? = nil) {
    self.code = code
    self.message = message
    self.sql = sql
    self.offset = offset
  }
}

extension SQLiteError {
  /// What the last call on a connection reported.
  ///
  /// The corresponding SQLite functions are `sqlite3_extended_errcode`, `sqlite3_errmsg` and
  /// `sqlite3_error_offset`, see <https://www.sqlite.org/c3ref/errcode.html>.
  init(_ handle: OpaquePointer, sql: String? = nil) {
    let offset = sqlite3_error_offset(handle)
    self.init(
      code: ResultCode(rawValue: sqlite3_extended_errcode(handle)),
      message: String(cString: sqlite3_errmsg(handle)),
      sql: sql,
      offset: sql == nil || offset < 0 ? nil : Int(offset))
  }

  /// The connection was closed before the call.
  static let closed = SQLiteError(code: .misuse, message: "the connection is closed")
}

extension SQLiteError: CustomStringConvertible {
  /// The code's name, the sentence and the beginning of the statement, on one line.
  public var description: String {
    guard let sql else { return "\(code.name): \(message)" }
    let limit = 200
    let start = sql.prefix(limit).map { $0.isNewline ? " " : $0 }
    return "\(code.name): \(message) (in: \(String(start))\(sql.count > limit ? "…" : ""))"
  }
}
