/// The fields of one object of a line, each of the type that the format gives it.
///
/// A field that nobody asks for is ignored, as the format demands.
struct LineFields {
  let object: JSONObject

  init(_ value: JSONValue) throws(LineError) {
    guard let object = value.object else {
      throw LineError("an object is expected, not \(value.kind)")
    }
    self.object = object
  }

  /// The value of a field that must be there.
  func value(_ name: String) throws(LineError) -> JSONValue {
    guard let value = object[name] else { throw LineError("it is missing", in: name) }
    return value
  }

  func string(_ name: String) throws(LineError) -> String {
    let value = try value(name)
    guard let text = value.string else { throw Self.unexpected(value, "a string", in: name) }
    return text
  }

  /// A string, or nil for null; the field must be there.
  func stringOrNull(_ name: String) throws(LineError) -> String? {
    let value = try value(name)
    if value.isNull { return nil }
    guard let text = value.string else {
      throw Self.unexpected(value, "a string or null", in: name)
    }
    return text
  }

  func boolean(_ name: String) throws(LineError) -> Bool {
    let value = try value(name)
    guard let truth = value.boolean else {
      throw Self.unexpected(value, "a truth value", in: name)
    }
    return truth
  }

  /// An integer that is not negative.
  func count(_ name: String) throws(LineError) -> Int64 {
    let value = try value(name)
    guard let number = value.integer, number >= 0 else {
      throw LineError("an integer from 0 on is expected", in: name)
    }
    return number
  }

  func object(_ name: String) throws(LineError) -> JSONObject {
    let value = try value(name)
    guard let object = value.object else { throw Self.unexpected(value, "an object", in: name) }
    return object
  }

  func array(_ name: String) throws(LineError) -> [JSONValue] {
    let value = try value(name)
    guard let array = value.array else { throw Self.unexpected(value, "an array", in: name) }
    return array
  }

  func strings(_ name: String) throws(LineError) -> [String] {
    var strings: [String] = []
    for element in try array(name) {
      guard let text = element.string else {
        throw Self.unexpected(element, "strings and nothing else", in: name)
      }
      strings.append(text)
    }
    return strings
  }

  /// One of the words that the format knows.
  func word<Word: RawRepresentable>(_ name: String) throws(LineError) -> Word
  where Word.RawValue == String {
    guard let word = Word(rawValue: try string(name)) else {
      throw LineError("there is no such word here", in: name)
    }
    return word
  }

  func token(_ name: String = "token") throws(LineError) -> HistoryToken {
    let text = try string(name)
    do throws(HistoryError) {
      return try HistoryToken(text)
    } catch {
      throw LineError("it is no token, or was damaged", in: name)
    }
  }

  func tokenIfThere(_ name: String) throws(LineError) -> HistoryToken? {
    object[name] == nil ? nil : try token(name)
  }

  func store(_ name: String) throws(LineError) -> StoreIdentifier {
    guard let store = StoreIdentifier(try string(name)) else {
      throw LineError("a UUID is expected", in: name)
    }
    return store
  }

  private static func unexpected(
    _ value: JSONValue, _ expected: String, in name: String
  ) -> LineError {
    LineError("\(expected) is expected, not \(value.kind)", in: name)
  }
}
