import HistoryModel

/// The members of a request, taken one by one, so that what nobody took is known to be unknown.
struct RequestFields {
  private var object: JSONObject
  private var known: Set<String> = []

  init(_ object: JSONObject) { self.object = object }

  /// Takes a member out; null is as good as none.
  private mutating func take(_ name: String) -> JSONValue? {
    known.insert(name)
    guard let value = object[name], !value.isNull else { return nil }
    return value
  }

  /// Leaves the client's own mark to whoever reads it first of all.
  mutating func skipMark() { known.insert("request") }

  /// Takes a text.
  mutating func text(_ name: String) throws(HistoryError) -> String? {
    guard let value = take(name) else { return nil }
    guard let text = value.string else { throw .field(name, "a string") }
    return text
  }

  /// Takes a text that has to be there.
  mutating func requiredText(_ name: String) throws(HistoryError) -> String {
    guard let text = try text(name) else {
      throw HistoryError(.usage, "the request needs \"\(name)\"", hint: .seeProtocol)
    }
    return text
  }

  /// Takes a text that is one of some words.
  mutating func choice<Choice: RawRepresentable & CaseIterable>(
    _ name: String, default standard: Choice
  ) throws(HistoryError) -> Choice where Choice.RawValue == String {
    guard let text = try text(name) else { return standard }
    guard let choice = Choice(rawValue: text) else {
      let words = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
      throw .field(name, "one of \(words)")
    }
    return choice
  }

  /// Takes true or false.
  mutating func flag(_ name: String) throws(HistoryError) -> Bool {
    guard let value = take(name) else { return false }
    guard let flag = value.boolean else { throw .field(name, "true or false") }
    return flag
  }

  /// Takes a number of things.
  mutating func count(_ name: String) throws(HistoryError) -> Int? {
    guard let value = take(name) else { return nil }
    guard let number = value.integer, let count = Int(exactly: number), count >= 0 else {
      throw .field(name, "a whole number")
    }
    return count
  }

  /// Takes a time.
  mutating func duration(_ name: String) throws(HistoryError) -> Duration? {
    guard let text = try text(name) else { return nil }
    do throws(MeasuredText.Fault) {
      return try MeasuredText.duration(text)
    } catch {
      throw .field(name, "a time such as \"250ms\", \"10s\" or \"5m\"")
    }
  }

  /// Takes a token.
  mutating func token(_ name: String) throws(HistoryError) -> HistoryToken? {
    guard let text = try text(name) else { return nil }
    return try HistoryToken(printed: text)
  }

  /// Takes a list of texts, in which null may stand for the empty one.
  ///
  /// A text alone is a list of one.
  mutating func texts(_ name: String) throws(HistoryError) -> [String] {
    guard let value = take(name) else { return [] }
    if let text = value.string { return [text] }
    guard let array = value.array else { throw .field(name, "a list of strings") }
    var texts: [String] = []
    for element in array {
      guard let text = element.isNull ? "" : element.string else {
        throw .field(name, "a list of strings")
      }
      texts.append(text)
    }
    return texts
  }

  /// Takes an object of values as lines write them.
  mutating func values(_ name: String) throws(HistoryError) -> [String: StoredValue] {
    guard let value = take(name) else { return [:] }
    guard let object = value.object else { throw .field(name, "an object of values") }
    var values: [String: StoredValue] = [:]
    for member in object {
      guard let value = StoredValue(wire: member.value) else {
        throw .field(name, "an object whose values are written as in lines")
      }
      values[member.name] = value
    }
    return values
  }

  /// Refuses what nobody took.
  func finish() throws(HistoryError) {
    for name in object.names where !known.contains(name) {
      let nearest = NearestWord.of(name, among: known.sorted())
      throw HistoryError(
        .usage, "this operation knows no field \(Self.quoted(name))",
        hint: nearest.map { "did you mean \"\($0)\"?" } ?? .seeProtocol)
    }
  }

  /// A word of the client's as it stands in a message: short, and with nothing that a terminal obeys.
  static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.count <= 40 && word.utf8.allSatisfy { 32...126 ~= $0 && $0 != 34 }
    return isPlain ? "\"\(word)\"" : "of that name"
  }
}

extension HistoryError {
  /// A field of a request that has another type.
  static func field(_ name: String, _ wanted: String) -> HistoryError {
    HistoryError(.usage, "\"\(name)\" takes \(wanted)", hint: .seeProtocol)
  }
}

extension String {
  static let seeProtocol = "docs/protocol.md shows each operation"
}
