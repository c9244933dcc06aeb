extension StoredValue {
  /// Reads a value as it stands in a line: the inverse of what ``JSONText`` writes.
  ///
  /// Whatever was written is read back as the same value, to the last bit. Two forms that are never
  /// written are read as well: an integer that needs no wrapper in one, and text in Base64 that
  /// turns out to be valid, which is plain text then.
  ///
  /// It is nil for what is no stored value: a truth value, an array, an object that is no wrapper
  /// that is known and whole, or a number that is ``JSONValue/outsized(_:)``.
  ///
  /// - Parameter value: The value as JSON.
  public init?(wire value: JSONValue) {
    switch value {
    case .null: self = .null
    case .integer(let x): self = .integer(x)
    case .real(let x): self = .real(x)
    case .string(let x): self = .text(x)
    case .object(let object):
      guard object.count == 1, let wrapped = object[0].value.string,
        let value = Self.unwrap(object[0].name, wrapped)
      else { return nil }
      self = value
    case .boolean, .outsized, .array: return nil
    }
  }

  private static func unwrap(_ wrapper: String, _ content: String) -> StoredValue? {
    switch wrapper {
    case "$integer":
      // One number has one text: no plus, no zeros in front.
      guard let number = Int64(content), number.description == content else { return nil }
      return .integer(number)
    case "$real":
      switch content {
      case "Infinity": return .real(.infinity)
      case "-Infinity": return .real(-.infinity)
      default: return nil
      }
    case "$text":
      guard let bytes = Base64.decode(content.utf8, .standard) else { return nil }
      return String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .malformedText(bytes)
    case "$blob":
      return Base64.decode(content.utf8, .standard).map { .blob($0) }
    default:
      return nil
    }
  }
}
