import HistoryModel

extension QueryText {
  /// The only value that the integer key of the table may have in the rows that the query reads.
  ///
  /// Recognised where the query is a plain SELECT of one table, and its WHERE has the key compared
  /// with an integer as one of the conditions that are joined by AND. Whatever is not certainly so
  /// is left alone.
  ///
  /// - Parameters:
  ///   - names: The names that reach the key in that table.
  ///   - parameter: The value of a parameter that is written as given.
  /// - Returns: The value; nil where the rows cannot be told.
  func key(called names: [String], _ parameter: (String) -> StoredValue?) -> Int64? {
    guard let conditions = conditionsOfPlainSelect() else { return nil }
    for condition in conditions {
      guard let sides = Self.equation(condition) else { continue }
      for (column, value) in [(sides.0, sides.1), (sides.1, sides.0)]
      where Self.isColumn(column, names) {
        if let key = Self.integer(value, parameter) { return key }
      }
    }
    return nil
  }

  /// The conditions joined by AND, where the query is a plain SELECT of one table.
  private func conditionsOfPlainSelect() -> [ArraySlice<SQLTokens.Token>]? {
    let outer = tokens.filter { $0.depth == 0 }.map(\.token)
    let places = { (keyword: String) in outer.indices.filter { outer[$0].isKeyword(keyword) } }
    guard tokens.filter({ $0.token.isKeyword("SELECT") }).count == 1,
      tokens.first?.token.isKeyword("SELECT") == true, !mentions(keyword: "VALUES"),
      let from = places("FROM").first, places("FROM").count == 1,
      let condition = places("WHERE").first, places("WHERE").count == 1, from < condition,
      Self.isOneTable(outer[from + 1..<condition]), !hasBareIn
    else { return nil }
    let end = ["GROUP", "HAVING", "WINDOW", "ORDER", "LIMIT"].flatMap(places).min()
    let start = outer[condition].text.endIndex
    let limit = end.map { outer[$0].text.startIndex } ?? text.endIndex
    let inside = tokens.filter {
      $0.token.text.startIndex >= start && $0.token.text.endIndex <= limit
    }
    guard
      !inside.contains(where: { token, depth in
        depth == 0 && ["OR", "CASE", "BETWEEN"].contains { token.isKeyword($0) }
      })
    else { return nil }
    return inside.split { $0.depth == 0 && $0.token.isKeyword("AND") }.map { $0.map(\.token)[...] }
  }

  /// Whether IN is followed by anything but parentheses: a table, which it reads whole.
  private var hasBareIn: Bool {
    tokens.indices.contains { place in
      tokens[place].token.isKeyword("IN")
        && (place + 1 == tokens.endIndex || tokens[place + 1].token.text != "(")
    }
  }

  /// Whether what stands after FROM is a name, perhaps with its schema and an alias.
  private static func isOneTable(_ tokens: ArraySlice<SQLTokens.Token>) -> Bool {
    var rest = tokens
    guard takeName(&rest) else { return false }
    if rest.first?.text == "." {
      rest.removeFirst()
      guard takeName(&rest) else { return false }
    }
    if rest.first?.isKeyword("AS") == true { rest.removeFirst() }
    _ = takeName(&rest)
    return rest.isEmpty
  }

  private static func takeName(_ rest: inout ArraySlice<SQLTokens.Token>) -> Bool {
    guard let first = rest.first, first.kind == .word || first.kind == .quoted else { return false }
    rest.removeFirst()
    return true
  }

  /// The two sides of a condition that is nothing but an equation.
  private static func equation(
    _ tokens: ArraySlice<SQLTokens.Token>
  ) -> (ArraySlice<SQLTokens.Token>, ArraySlice<SQLTokens.Token>)? {
    guard let sign = tokens.firstIndex(where: { $0.text == "=" || $0.isKeyword("IS") }) else {
      return nil
    }
    var right = tokens[(sign + 1)...]
    if tokens[sign].text == "=", right.first?.text == "=" { right.removeFirst() }
    return (tokens[..<sign], right)
  }

  /// Whether tokens are nothing but one of some columns, perhaps with its table.
  private static func isColumn(
    _ tokens: ArraySlice<SQLTokens.Token>, _ names: [String]
  ) -> Bool {
    let isQualified = tokens.count == 3 && tokens[tokens.startIndex + 1].text == "."
    guard tokens.count == 1 || isQualified, let last = tokens.last,
      last.kind == .word || (last.kind == .quoted && !last.text.hasSuffix("'"))
    else { return false }
    return names.contains { ChangeFilter.isSameName($0, GeneratedColumns.unquoted(last)) }
  }

  /// The integer that tokens are, as a literal or as a parameter's value.
  private static func integer(
    _ tokens: ArraySlice<SQLTokens.Token>, _ parameter: (String) -> StoredValue?
  ) -> Int64? {
    let text = tokens.map { String($0.text) }.joined()
    guard tokens.count <= 2, let first = text.utf8.first else { return nil }
    switch first {
    case UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "$"), UInt8(ascii: "?"):
      return parameter(text)?.integer
    default:
      return tokens.last?.kind == .number ? Int64(text) : nil
    }
  }
}
