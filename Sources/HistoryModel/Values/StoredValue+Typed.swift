extension StoredValue {
  /// Reads a value that somebody typed.
  ///
  /// What SQL writes as a number is a number: `7`, `-7`, `1.5`, `.5`, `1e9`; an integer beyond 64
  /// bits is a REAL, as it is in SQL. `NULL` in any letter case is NULL, `x'00ff'` a BLOB, and text
  /// between single quotes, where a doubled quote stands for one, is that text, so that `'7'` is
  /// TEXT. Everything else is TEXT as it stands, also the empty text.
  ///
  /// - Parameter text: What was typed.
  public init(typed text: some StringProtocol) {
    let bytes = Array(text.utf8)
    self =
      Self.typedNumber(bytes, String(text)) ?? Self.typedBlob(bytes) ?? Self.typedQuoted(bytes)
      ?? (ChangeFilter.isSameName(String(text), "null") ? .null : .text(String(text)))
  }

  private static func typedNumber(_ bytes: [UInt8], _ text: String) -> StoredValue? {
    var rest = bytes[...]
    if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
    let whole = takeDigits(&rest)
    if rest.isEmpty {
      guard whole > 0 else { return nil }
      return Int64(text).map { .integer($0) } ?? Double(text).map { .real($0) }
    }
    var fraction = 0
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      fraction = takeDigits(&rest)
    }
    guard whole + fraction > 0 else { return nil }
    if let letter = rest.first, letter | 0x20 == UInt8(ascii: "e") {
      rest.removeFirst()
      if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
        rest.removeFirst()
      }
      guard takeDigits(&rest) > 0 else { return nil }
    }
    guard rest.isEmpty else { return nil }
    // Swift wants a digit on both sides of the point.
    let point = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard point.count == 2 else { return Double(text).map { .real($0) } }
    let head = point[0].isEmpty || point[0] == "-" ? "\(point[0])0" : "\(point[0])"
    let tail = point[1].utf8.first.map { 48...57 ~= $0 } == true ? "\(point[1])" : "0\(point[1])"
    return Double("\(head).\(tail)").map { .real($0) }
  }

  private static func takeDigits(_ rest: inout ArraySlice<UInt8>) -> Int {
    let digits = rest.prefix { 48...57 ~= $0 }
    rest = rest[digits.endIndex...]
    return digits.count
  }

  private static func typedBlob(_ bytes: [UInt8]) -> StoredValue? {
    guard bytes.count >= 3, bytes[0] | 0x20 == UInt8(ascii: "x"), bytes[1] == UInt8(ascii: "'"),
      bytes.last == UInt8(ascii: "'"), bytes.count % 2 == 1
    else { return nil }
    var content: [UInt8] = []
    for place in stride(from: 2, to: bytes.count - 1, by: 2) {
      guard let high = hexadecimal(bytes[place]), let low = hexadecimal(bytes[place + 1]) else {
        return nil
      }
      content.append(high << 4 | low)
    }
    return .blob(content)
  }

  private static func hexadecimal(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 48...57: digit - 48
    case 65...70: digit - 55
    case 97...102: digit - 87
    default: nil
    }
  }

  private static func typedQuoted(_ bytes: [UInt8]) -> StoredValue? {
    let quote = UInt8(ascii: "'")
    guard bytes.count >= 2, bytes.first == quote, bytes.last == quote else { return nil }
    var content: [UInt8] = []
    var rest = bytes.dropFirst().dropLast()
    while let byte = rest.popFirst() {
      if byte == quote, rest.popFirst() != quote { return nil }
      content.append(byte)
    }
    return .text(String(decoding: content, as: UTF8.self))
  }
}
