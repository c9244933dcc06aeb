extension JSONReader {
  /// Reads a string whose quote is the next byte.
  mutating func string() throws(JSONError) -> String {
    place += 1
    let begin = place
    var all: UInt8 = 0
    while place < bytes.endIndex {
      let byte = bytes[place]
      if byte == UInt8(ascii: "\"") {
        let content = bytes[begin..<place]
        place += 1
        // ASCII needs no second look, and most strings are nothing else.
        return all < 0x80 ? String(decoding: content, as: UTF8.self) : try text(content, at: begin)
      }
      if byte == UInt8(ascii: "\\") { return try escapedString(from: begin) }
      guard byte >= 0x20 else { throw fault(.control) }
      all |= byte
      place += 1
    }
    throw fault(.endsEarly)
  }

  /// Reads on at the first escape of a string that began at `begin`.
  private mutating func escapedString(from begin: Int) throws(JSONError) -> String {
    var content = Array(bytes[begin..<place])
    while place < bytes.endIndex {
      let byte = bytes[place]
      switch byte {
      case UInt8(ascii: "\""):
        place += 1
        return try text(content[...], at: begin)
      case UInt8(ascii: "\\"):
        try escape(into: &content)
      case ..<0x20:
        throw fault(.control)
      default:
        content.append(byte)
        place += 1
      }
    }
    throw fault(.endsEarly)
  }

  /// Makes text of a string's bytes, which must be valid UTF-8.
  private mutating func text(
    _ content: ArraySlice<UInt8>, at begin: Int
  ) throws(JSONError) -> String {
    guard let text = String(validating: content, as: UTF8.self) else {
      place = begin
      throw fault(.malformed)
    }
    return text
  }

  private mutating func escape(into content: inout [UInt8]) throws(JSONError) {
    let begin = place
    place += 1
    let letter = current
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(letter)
    case UInt8(ascii: "b"): content.append(0x08)
    case UInt8(ascii: "t"): content.append(0x09)
    case UInt8(ascii: "n"): content.append(0x0a)
    case UInt8(ascii: "f"): content.append(0x0c)
    case UInt8(ascii: "r"): content.append(0x0d)
    case UInt8(ascii: "u"):
      place += 1
      let scalar = try scalar(escapedAt: begin)
      content.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      return
    default: throw fault(.unknownEscape)
    }
    place += 1
  }

  /// Reads the digits after `\u`, and a second escape where the first is half of a pair.
  private mutating func scalar(escapedAt begin: Int) throws(JSONError) -> Unicode.Scalar {
    let first = try codeUnit()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xdc00, take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
      throw lone(begin)
    }
    let second = try codeUnit()
    guard (0xdc00...0xdfff).contains(second),
      let scalar = Unicode.Scalar(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))
    else { throw lone(begin) }
    return scalar
  }

  private mutating func lone(_ begin: Int) -> JSONError {
    if place < bytes.endIndex { place = begin }
    return fault(.loneSurrogate)
  }

  private mutating func codeUnit() throws(JSONError) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      let digit: UInt8
      switch current {
      case let byte where UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte: digit = byte - 48
      case let byte where UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte: digit = byte - 87
      case let byte where UInt8(ascii: "A")...UInt8(ascii: "F") ~= byte: digit = byte - 55
      default: throw fault(.hexadecimalExpected)
      }
      unit = unit << 4 | UInt32(digit)
      place += 1
    }
    return unit
  }
}
