import SQLite

/// Small pieces of SQL that the capture triggers are put together from.
enum SQLText {
  /// Conditions joined by OR as a balanced tree.
  ///
  /// A chain of more than a thousand terms would exceed SQLite's limit on the depth of an
  /// expression; see <https://www.sqlite.org/limits.html>.
  static func any(_ conditions: [String]) -> String { balanced(conditions[...], " OR ") }

  /// Conditions joined by AND as a balanced tree.
  static func all(_ conditions: [String]) -> String { balanced(conditions[...], " AND ") }

  private static func balanced(_ terms: ArraySlice<String>, _ connective: String) -> String {
    guard terms.count > 4 else { return terms.joined(separator: connective) }
    let middle = terms.startIndex + terms.count / 2
    return "(" + balanced(terms[..<middle], connective) + ")" + connective + "("
      + balanced(terms[middle...], connective) + ")"
  }

  /// A column's DEFAULT as an expression: a bare or double-quoted word in it is a string there,
  /// and would be a column here.
  static func expression(ofDefault sql: String) -> String {
    let tokens = Array(SQLTokens(sql))
    guard tokens.count == 1, let word = tokens.first else { return "(\(sql))" }
    let isKeyword = ["TRUE", "FALSE", "NULL", "CURRENT_TIME", "CURRENT_DATE", "CURRENT_TIMESTAMP"]
      .contains { word.isKeyword($0) }
    let isBare = word.kind == .word && !isKeyword
    guard isBare || (word.kind == .quoted && !word.text.hasPrefix("'") && !isBlob(word)) else {
      return sql
    }
    return Identifier.literal(GeneratedColumns.unquoted(word))
  }

  private static func isBlob(_ token: SQLTokens.Token) -> Bool {
    token.text.hasPrefix("x'") || token.text.hasPrefix("X'")
  }
}
