/// Writes pieces of JSON as bytes.
public enum JSONText {
  /// Appends text as a JSON string.
  ///
  /// - Parameters:
  ///   - text: What to write.
  ///   - output: Where to write it.
  public static func append(_ text: String, to output: inout [UInt8]) {
    var text = text
    text.makeContiguousUTF8()
    output.append(UInt8(ascii: "\""))
    appendEscaped(Array(text.utf8)[...], to: &output)
    output.append(UInt8(ascii: "\""))
  }

  /// Appends a string, or null for nil.
  ///
  /// - Parameters:
  ///   - text: What to write.
  ///   - output: Where to write it.
  public static func append(_ text: String?, to output: inout [UInt8]) {
    if let text { append(text, to: &output) } else { output.append(contentsOf: null) }
  }

  /// Appends an integer in decimal.
  ///
  /// - Parameters:
  ///   - number: What to write.
  ///   - output: Where to write it.
  public static func append(_ number: Int64, to output: inout [UInt8]) {
    if number >= 0 && number < 10 {
      output.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number))
      return
    }
    if number < 0 { output.append(UInt8(ascii: "-")) }
    let start = output.count
    var rest = number.magnitude
    repeat {
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      output.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: digit))
      rest = quotient
    } while rest > 0
    output[start...].reverse()
  }

  /// Appends a stored value in the form that keeps its storage class and every bit.
  ///
  /// - Parameters:
  ///   - cell: The value.
  ///   - buffer: The buffer that the cell belongs to.
  ///   - output: Where to write it.
  /// - Complexity: O(*n*) for *n* bytes of text or blob.
  public static func append(
    _ cell: CellBuffer.Cell, of buffer: CellBuffer, to output: inout [UInt8]
  ) {
    switch cell.storage {
    case .null:
      output.append(contentsOf: null)
    case .integer:
      let number = Int64(bitPattern: cell.payload)
      if number.magnitude <= 1 << 53 - 1 {
        append(number, to: &output)
      } else {
        output.append(contentsOf: integerPrefix)
        append(number, to: &output)
        output.append(contentsOf: wrapperSuffix)
      }
    case .real:
      append(Double(bitPattern: cell.payload), to: &output)
    case .text where cell.isPlain:
      output.append(UInt8(ascii: "\""))
      output.append(contentsOf: buffer.content(of: cell))
      output.append(UInt8(ascii: "\""))
    case .text:
      let content = buffer.content(of: cell)
      if isValidUTF8(content) {
        output.append(UInt8(ascii: "\""))
        appendEscaped(content, to: &output)
        output.append(UInt8(ascii: "\""))
      } else {
        appendWrapped(content, textPrefix, to: &output)
      }
    case .blob:
      appendWrapped(buffer.content(of: cell), blobPrefix, to: &output)
    }
  }

  private static func append(_ number: Double, to output: inout [UInt8]) {
    if number.isInfinite {
      output.append(contentsOf: number < 0 ? minusInfinity : infinity)
    } else {
      // Swift writes the shortest digits that read back the same, always with a point or exponent.
      output.append(contentsOf: number.description.utf8)
    }
  }

  private static func appendWrapped(
    _ content: ArraySlice<UInt8>, _ prefix: [UInt8], to output: inout [UInt8]
  ) {
    output.append(contentsOf: prefix)
    Base64.append(content, .standard, to: &output)
    output.append(contentsOf: wrapperSuffix)
  }

  private static let null = Array("null".utf8)
  private static let integerPrefix = Array(#"{"$integer":""#.utf8)
  private static let textPrefix = Array(#"{"$text":""#.utf8)
  private static let blobPrefix = Array(#"{"$blob":""#.utf8)
  private static let wrapperSuffix = Array(#""}"#.utf8)
  private static let infinity = Array(#"{"$real":"Infinity"}"#.utf8)
  private static let minusInfinity = Array(#"{"$real":"-Infinity"}"#.utf8)
}

extension JSONText {
  /// Appends bytes of UTF-8, escaping what JSON does not allow as it is.
  private static func appendEscaped(_ content: ArraySlice<UInt8>, to output: inout [UInt8]) {
    var clean = content.startIndex
    var place = clean
    while place < content.endIndex {
      let byte = content[place]
      if byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") {
        place += 1
        continue
      }
      output.append(contentsOf: content[clean..<place])
      appendEscape(byte, to: &output)
      place += 1
      clean = place
    }
    output.append(contentsOf: content[clean..<content.endIndex])
  }

  private static func appendEscape(_ byte: UInt8, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): output.append(byte)
    case 0x08: output.append(UInt8(ascii: "b"))
    case 0x09: output.append(UInt8(ascii: "t"))
    case 0x0a: output.append(UInt8(ascii: "n"))
    case 0x0c: output.append(UInt8(ascii: "f"))
    case 0x0d: output.append(UInt8(ascii: "r"))
    default:
      let digits = Array("0123456789abcdef".utf8)
      output.append(contentsOf: "u00".utf8)
      output.append(digits[Int(byte >> 4)])
      output.append(digits[Int(byte & 15)])
    }
  }

  /// Whether bytes are well-formed UTF-8: table 3-7 of the Unicode standard.
  private static func isValidUTF8(_ content: ArraySlice<UInt8>) -> Bool {
    var place = content.startIndex
    let end = content.endIndex
    while place < end {
      let lead = content[place]
      place += 1
      if lead < 0x80 { continue }
      var second: ClosedRange<UInt8> = 0x80...0xbf
      let following: Int
      switch lead {
      case 0xc2...0xdf: following = 1
      case 0xe0:
        following = 2
        second = 0xa0...0xbf
      case 0xed:
        following = 2
        second = 0x80...0x9f
      case 0xe1...0xef: following = 2
      case 0xf0:
        following = 3
        second = 0x90...0xbf
      case 0xf4:
        following = 3
        second = 0x80...0x8f
      case 0xf1...0xf3: following = 3
      default: return false
      }
      guard end - place >= following, second.contains(content[place]) else { return false }
      for offset in 1..<max(following, 1) where !(0x80...0xbf).contains(content[place + offset]) {
        return false
      }
      place += following
    }
    return true
  }
}
