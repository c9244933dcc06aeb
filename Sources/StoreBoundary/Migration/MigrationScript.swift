import HistoryModel
import HistoryStore
import SQLite

/// The SQL of a stage, looked at before anything is changed.
enum MigrationScript {
  /// What would end the stage's transaction, or reach out of it.
  private static let forbidden = [
    "BEGIN", "COMMIT", "END", "ROLLBACK", "ATTACH", "DETACH", "VACUUM",
  ]

  /// The first statement that no stage may have.
  ///
  /// - Returns: Its keyword and the line where it begins, from 1; nil when there is none.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `usage` when the text has a NUL, behind which SQLite would
  ///   see nothing.
  /// - Complexity: O(*n* · *s*) for *n* bytes and statements of *s* semicolons.
  static func forbidden(
    in sql: String, of version: SchemaVersion
  ) throws(HistoryError) -> (keyword: String, line: Int)? {
    guard !sql.utf8.contains(0) else { throw .scriptHasNUL(version.title) }
    var start: Substring.Index?
    var words: [SQLTokens.Token] = []
    for token in SQLTokens(sql) {
      // A semicolon by itself is no statement, and does not begin the next one.
      if start == nil, token.text == ";" { continue }
      if start == nil { start = token.text.startIndex }
      if words.count < 3 { words.append(token) }
      guard token.text == ";", let first = start else { continue }
      guard SQLiteLibrary.isComplete(String(sql[first..<token.text.endIndex])) else { continue }
      if let keyword = keyword(of: words) { return (keyword, line(of: first, in: sql)) }
      start = nil
      words = []
    }
    guard let start, let keyword = keyword(of: words) else { return nil }
    return (keyword, line(of: start, in: sql))
  }

  private static func keyword(of words: [SQLTokens.Token]) -> String? {
    guard let first = words.first, let keyword = forbidden.first(where: first.isKeyword) else {
      return nil
    }
    // ROLLBACK [TRANSACTION] TO goes back to a savepoint, inside the transaction.
    let isSavepoint = words.dropFirst().contains { $0.isKeyword("TO") }
    return keyword == "ROLLBACK" && isSavepoint ? nil : keyword
  }

  private static func line(of place: Substring.Index, in sql: String) -> Int {
    sql[..<place].utf8.count { $0 == UInt8(ascii: "\n") } + 1
  }
}
