import SQLite

/// The expressions of generated columns, taken from a CREATE TABLE statement: no pragma tells them.
struct GeneratedColumns {
  private var expressions: [(name: String, expression: String)] = []

  /// Reads a CREATE TABLE statement as SQLite keeps it.
  init(sql: String) {
    var depth = 0
    var name: String?
    var isAfterAs = false
    var start: String.Index?
    for token in SQLTokens(sql) {
      switch token.text {
      case "(":
        depth += 1
        if depth == 2, isAfterAs { start = token.text.endIndex }
        if depth == 1 { continue }
      case ")":
        if depth == 2, let start, let name {
          expressions.append((name, String(sql[start..<token.text.startIndex])))
        }
        if depth == 2 { start = nil }
        depth -= 1
      case "," where depth == 1:
        name = nil
        continue
      default: break
      }
      if depth == 1 {
        if name == nil { name = Self.unquoted(token) }
        isAfterAs = token.isKeyword("AS")
      }
    }
  }

  /// The expression of a column; nil when it is not found.
  func expression(of column: String) -> String? {
    expressions.first { Identifier.equal($0.name, column) }?.expression
  }

  /// The name that a token writes.
  static func unquoted(_ token: SQLTokens.Token) -> String {
    guard token.kind == .quoted, let quote = token.text.first else { return String(token.text) }
    let inner = token.text.dropFirst().dropLast()
    if quote == "[" { return String(inner) }
    return inner.split(separator: "\(quote)\(quote)", omittingEmptySubsequences: false)
      .joined(separator: String(quote))
  }
}
