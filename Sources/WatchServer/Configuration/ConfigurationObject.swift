import HistoryModel

/// An object of the file while it is read: its members, and where it stands.
///
/// Every way to take a member out bounds it and names it when it is not what it should be.
struct ConfigurationObject {
  /// Where it stands in the file.
  let place: [JSONPosition.Step]
  private let members: JSONObject

  /// Takes a value for an object with no other members than known ones.
  init(
    _ value: JSONValue, at place: [JSONPosition.Step], known: [String]
  ) throws(ConfigurationFault) {
    guard let members = value.object else {
      throw ConfigurationFault(
        reason: "an object is expected, not \(value.kind)", place: place)
    }
    self.place = place
    self.members = members
    for name in members.names where !known.contains(name) {
      let nearest = NearestWord.of(name, among: known)
      throw ConfigurationFault(
        reason: "\(Quotation.of(name)) is unknown here",
        hint: nearest.map { "did you mean \"\($0)\"?" }
          ?? "known are \(known.map { "\"\($0)\"" }.joined(separator: ", "))",
        place: place + [.member(name)])
    }
  }

  /// The value of a member, if it is there.
  subscript(name: String) -> JSONValue? { members[name] }

  /// A fault of a member.
  func fault(
    _ name: String, _ reason: String, element: Int? = nil, hint: String? = nil
  ) -> ConfigurationFault {
    ConfigurationFault(
      reason: reason, hint: hint,
      place: place + [.member(name)] + (element.map { [.element($0)] } ?? []))
  }

  /// A fault of a member that is something else than it should be.
  private func mismatch(
    _ name: String, _ form: String, _ value: JSONValue, element: Int? = nil
  ) -> ConfigurationFault {
    fault(name, "\"\(name)\" takes \(form), not \(value.kind)", element: element)
  }

  /// A truth value.
  func boolean(_ name: String) throws(ConfigurationFault) -> Bool? {
    guard let value = members[name] else { return nil }
    guard let boolean = value.boolean else { throw mismatch(name, "true or false", value) }
    return boolean
  }

  /// A text.
  func text(
    _ name: String, _ form: String, limit: Int, mayBeEmpty: Bool = false
  ) throws(ConfigurationFault) -> String? {
    guard let value = members[name] else { return nil }
    guard let text = value.string else { throw mismatch(name, form, value) }
    try check(text, name, limit: limit, mayBeEmpty: mayBeEmpty)
    return text
  }

  /// A list of texts, which must not be empty; empty when it is missing.
  func texts(
    _ name: String, _ form: String, limit: Int, count: Int, mayBeEmpty: Bool = false,
    mayRepeat: Bool = false
  ) throws(ConfigurationFault) -> [String] {
    guard let elements = try list(name, form, count: count) else { return [] }
    guard !elements.isEmpty else {
      throw fault(name, "\"\(name)\" is empty", hint: "leave it out, or name something")
    }
    var texts: [String] = []
    var known: Set<String> = []
    for (place, element) in elements.enumerated() {
      guard let text = element.string else {
        throw fault(
          name, "\"\(name)\" takes \(form), and this is \(element.kind)", element: place)
      }
      try check(text, name, limit: limit, mayBeEmpty: mayBeEmpty, element: place)
      if !mayRepeat, !known.insert(text).inserted {
        throw fault(name, "\"\(name)\" has \(Quotation.of(text)) twice", element: place)
      }
      texts.append(text)
    }
    return texts
  }

  /// A list of anything.
  func list(
    _ name: String, _ form: String, count: Int
  ) throws(ConfigurationFault) -> [JSONValue]? {
    guard let value = members[name] else { return nil }
    guard let elements = value.array else { throw mismatch(name, form, value) }
    guard elements.count <= count else {
      throw fault(name, "\"\(name)\" has more than \(count) elements", element: count)
    }
    return elements
  }

  /// One of several words.
  func choice(_ name: String, of words: [String]) throws(ConfigurationFault) -> String? {
    guard let value = members[name] else { return nil }
    let form = Quotation.alternatives(words.map { "\"\($0)\"" })
    guard let word = value.string else { throw mismatch(name, form, value) }
    guard words.contains(word) else { throw unknown(word, name, of: words) }
    return word
  }

  /// A word that is none of those that may stand there.
  func unknown(
    _ word: String, _ name: String, of words: [String], element: Int? = nil
  ) -> ConfigurationFault {
    let form = Quotation.alternatives(words.map { "\"\($0)\"" })
    return fault(
      name, "\"\(name)\" takes \(form), not \(Quotation.of(word))", element: element,
      hint: NearestWord.of(word, among: words).map { "did you mean \"\($0)\"?" })
  }

  /// A measure within bounds.
  func measure<Value: Comparable>(
    _ name: String, _ form: String, _ range: ClosedRange<Value>, _ write: (Value) -> String,
    _ read: (String) throws(MeasuredText.Fault) -> Value
  ) throws(ConfigurationFault) -> Value? {
    guard let json = members[name] else { return nil }
    guard let text = json.string else { throw mismatch(name, form, json) }
    let value: Value
    do throws(MeasuredText.Fault) {
      value = try read(text)
    } catch {
      switch error {
      case .malformed: throw fault(name, "\"\(name)\" takes \(form), not \(Quotation.of(text))")
      case .tooLarge: throw fault(name, "\"\(name)\" is more than \(write(range.upperBound))")
      }
    }
    guard value >= range.lowerBound else {
      throw fault(name, "\"\(name)\" is less than \(write(range.lowerBound))")
    }
    guard value <= range.upperBound else {
      throw fault(name, "\"\(name)\" is more than \(write(range.upperBound))")
    }
    return value
  }

  private func check(
    _ text: String, _ name: String, limit: Int, mayBeEmpty: Bool, element: Int? = nil
  ) throws(ConfigurationFault) {
    if text.isEmpty, !mayBeEmpty {
      throw fault(name, "\"\(name)\" has an empty text", element: element)
    }
    guard text.utf8.count <= limit else {
      throw fault(
        name, "\"\(name)\" has a text of more than \(limit) bytes", element: element)
    }
    guard !text.utf8.contains(0) else {
      throw fault(name, "\"\(name)\" has a text with U+0000", element: element)
    }
  }
}
