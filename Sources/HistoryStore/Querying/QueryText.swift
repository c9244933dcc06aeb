import HistoryModel

/// The text of a query, as far as it can be understood by its tokens.
struct QueryText {
  /// The text as it was given.
  let text: String
  /// The tokens of its first statement, without the semicolon, each with the number of parentheses
  /// around it; a parenthesis itself stands outside.
  let tokens: [(token: SQLTokens.Token, depth: Int)]
  /// Whether there is more than one statement.
  let hasFurther: Bool

  /// Takes a text apart.
  init(_ text: String) {
    self.text = text
    var tokens: [(SQLTokens.Token, Int)] = []
    var depth = 0
    var isPastEnd = false
    var hasFurther = false
    for token in SQLTokens(text) {
      if token.text == ";" {
        isPastEnd = isPastEnd || !tokens.isEmpty
        continue
      }
      if isPastEnd { hasFurther = true }
      if token.text == ")" { depth -= 1 }
      if !isPastEnd { tokens.append((token, depth)) }
      if token.text == "(" { depth += 1 }
    }
    self.tokens = tokens
    self.hasFurther = hasFurther
  }

  /// Whether it begins as a statement that reads does.
  var beginsReading: Bool {
    guard let first = tokens.first?.token else { return false }
    return ["SELECT", "VALUES", "WITH"].contains { first.isKeyword($0) }
  }

  /// Whether it begins as any statement does; SQLite takes no other text.
  var beginsStatement: Bool {
    guard let first = tokens.first?.token else { return false }
    return beginsReading || Self.statements.contains { first.isKeyword($0) }
  }

  private static let statements = [
    "ALTER", "ANALYZE", "ATTACH", "BEGIN", "COMMIT", "CREATE", "DELETE", "DETACH", "DROP", "END",
    "EXPLAIN", "INSERT", "PRAGMA", "REINDEX", "RELEASE", "REPLACE", "ROLLBACK", "SAVEPOINT",
    "UPDATE",
    "VACUUM",
  ]

  /// Whether a keyword is anywhere in it.
  func mentions(keyword: String) -> Bool { tokens.contains { $0.token.isKeyword(keyword) } }

  /// Whether a name is anywhere in it, whatever it stands for there.
  ///
  /// - Parameter name: A table's name, in any case of ASCII letters.
  /// - Returns: Whether a word or a quoted word of it is that name.
  func mentions(name: String) -> Bool {
    tokens.contains { token, _ in
      (token.kind == .word || token.kind == .quoted)
        && ChangeFilter.isSameName(GeneratedColumns.unquoted(token), name)
    }
  }

  /// The text with an order in which no two rows are tied that differ in certain columns.
  ///
  /// SQLite gives rows that are tied, or have no order, as its plan has them; and a plan may change
  /// with an index or with ANALYZE, and differ for LIMIT. So the columns are added to the order by
  /// their numbers, compared by their bytes.
  ///
  /// - Parameter columns: The places of the columns, from 0.
  /// - Returns: The text.
  func ordered(by columns: [Int]) -> String {
    // LIMIT and ORDER are reserved: outside of parentheses each of them is what it seems to be.
    let limit = tokens.firstIndex { $0.depth == 0 && $0.token.isKeyword("LIMIT") }
    let body = tokens[..<(limit ?? tokens.endIndex)]
    guard let end = body.last?.token.text.endIndex, !columns.isEmpty else { return text }
    let hasOrder = body.contains { $0.depth == 0 && $0.token.isKeyword("ORDER") }
    let terms = columns.map { "\($0 + 1) COLLATE BINARY" }.joined(separator: ", ")
    return text[..<end] + (hasOrder ? ", " : " ORDER BY ") + terms + text[end...]
  }
}
