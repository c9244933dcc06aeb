import HistoryModel

/// The tokens of an SQL text, as far as capture needs them: to take an index's expressions and
/// condition, or the verb of a statement, out of the text that SQLite keeps.
///
/// Spaces and comments are left out. Follows <https://www.sqlite.org/syntax.html>.
package struct SQLTokens: Sequence {
  /// One token.
  package struct Token {
    /// What a token is.
    package enum Kind: Sendable { case word, quoted, number, other }
    /// What it is.
    package var kind: Kind
    /// Its text, quotes included.
    package var text: Substring

    /// Whether it is this keyword, unquoted, in any letter case.
    package func isKeyword(_ keyword: String) -> Bool {
      kind == .word && ChangeFilter.folded(String(text)) == ChangeFilter.folded(keyword)
    }
  }

  private let text: String

  package init(_ text: String) { self.text = text }

  package func makeIterator() -> Iterator { Iterator(rest: text[...]) }

  package struct Iterator: IteratorProtocol {
    var rest: Substring

    package mutating func next() -> Token? {
      skipBlanks()
      guard let first = rest.unicodeScalars.first else { return nil }
      switch first {
      case "'", "\"", "`": return take(.quoted, quoted(by: first))
      case "[": return take(.quoted, bracketed())
      case "0"..."9": return take(.number, run { Self.isWord($0) || $0 == "." })
      case _ where Self.isWord(first):
        let word = run(Self.isWord)
        // x'00' is one token.
        if word.count == 1, ChangeFilter.folded(String(word)) == "x",
          rest[word.endIndex...].first == "'"
        {
          let whole = rest
          rest = rest[word.endIndex...]
          let literal = quoted(by: "'")
          rest = whole
          return take(.quoted, whole[whole.startIndex..<literal.endIndex])
        }
        return take(.word, word)
      default:
        return take(.other, rest.prefix(1))
      }
    }

    private mutating func take(_ kind: Token.Kind, _ text: Substring) -> Token {
      rest = rest[text.endIndex...]
      return Token(kind: kind, text: text)
    }

    private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", "_", "$": true
      default: scalar.value > 127
      }
    }

    private func run(_ belongs: (Unicode.Scalar) -> Bool) -> Substring {
      Substring(rest.unicodeScalars.prefix(while: belongs))
    }

    private func quoted(by quote: Unicode.Scalar) -> Substring {
      let scalars = rest.unicodeScalars
      var place = scalars.index(after: scalars.startIndex)
      while place < scalars.endIndex {
        let next = scalars.index(after: place)
        if scalars[place] == quote {
          // A doubled quote stands for itself.
          guard next < scalars.endIndex, scalars[next] == quote else { return rest[..<next] }
          place = scalars.index(after: next)
        } else {
          place = next
        }
      }
      return rest
    }

    private func bracketed() -> Substring {
      let scalars = rest.unicodeScalars
      guard let close = scalars.firstIndex(of: "]") else { return rest }
      return rest[...close]
    }

    private mutating func skipBlanks() {
      while let first = rest.unicodeScalars.first {
        // To SQLite a byte order mark is a space.
        if [" ", "\t", "\n", "\r", "\u{0c}", "\u{feff}"].contains(first) {
          rest = Substring(rest.unicodeScalars.dropFirst())
        } else if rest.hasPrefix("--") {
          rest = Substring(rest.unicodeScalars.drop { $0 != "\n" })
        } else if rest.hasPrefix("/*") {
          // Without an end it goes to the end of the text.
          let body = rest.dropFirst(2)
          rest = body.firstRange(of: "*/").map { body[$0.upperBound...] } ?? body[body.endIndex...]
        } else {
          return
        }
      }
    }
  }
}

/// The indexed terms and the condition of a CREATE INDEX statement.
struct IndexDefinition {
  /// The SQL of each term, its COLLATE and ASC or DESC included.
  var terms: [String] = []
  /// The SQL after WHERE.
  var condition: String?

  /// Reads a CREATE INDEX statement as SQLite keeps it.
  init(sql: String) {
    var depth = 0
    var isPastTerms = false
    var conditionStart: String.Index?
    var term: Range<String.Index>?
    for token in SQLTokens(sql) {
      if isPastTerms {
        // From the first token to the last, so that no comment at the end comes along.
        if let start = conditionStart {
          condition = String(sql[start..<token.text.endIndex])
        } else if token.isKeyword("WHERE") {
          conditionStart = token.text.endIndex
        }
        continue
      }
      switch token.text {
      case "(":
        depth += 1
        if depth == 1 { continue }
      case ")":
        depth -= 1
        if depth == 0 {
          if let term { terms.append(String(sql[term])) }
          isPastTerms = true
          continue
        }
      case "," where depth == 1:
        if let term { terms.append(String(sql[term])) }
        term = nil
        continue
      default: break
      }
      guard depth > 0 else { continue }
      term = (term?.lowerBound ?? token.text.startIndex)..<token.text.endIndex
    }
  }

  /// A term without its ASC or DESC and without a COLLATE of its own.
  static func expression(of term: String) -> String {
    var end = term.endIndex
    var tokens = Array(SQLTokens(term))
    if let last = tokens.last, last.isKeyword("ASC") || last.isKeyword("DESC") {
      end = last.text.startIndex
      tokens.removeLast()
    }
    if tokens.count >= 2, tokens[tokens.count - 2].isKeyword("COLLATE") {
      end = tokens[tokens.count - 2].text.startIndex
    }
    return String(term[..<end])
  }
}
