/// Reads one JSON text from front to back.
///
/// It looks at each byte once and copies only what becomes a value. Places are indices of the
/// slice.
struct JSONReader {
  let bytes: ArraySlice<UInt8>
  /// The next byte to look at.
  var place: Int
  private let limits: JSONValue.Limits
  /// Digests of the names of all objects that are being read, the innermost last.
  private var digests: [UInt64] = []

  init(_ bytes: ArraySlice<UInt8>, limits: JSONValue.Limits) {
    self.bytes = bytes
    self.limits = limits
    place = bytes.startIndex
  }

  /// Reads the whole text.
  mutating func whole() throws(JSONError) -> JSONValue {
    guard bytes.count <= limits.bytes else { throw fault(.tooLong) }
    guard !bytes.starts(with: [0xef, 0xbb, 0xbf]) else { throw fault(.byteOrderMark) }
    skipSpace()
    let value = try value(depth: 0)
    skipSpace()
    guard place == bytes.endIndex else { throw fault(.more) }
    return value
  }

  /// Reads a value that begins here; `depth` arrays and objects are around it.
  mutating func value(depth: Int) throws(JSONError) -> JSONValue {
    switch current {
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "{"): return .object(JSONObject(try members(depth: depth + 1)))
    case UInt8(ascii: "["): return .array(try elements(depth: depth + 1))
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    case UInt8(ascii: "t"): return try literal("true", .boolean(true))
    case UInt8(ascii: "f"): return try literal("false", .boolean(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    case UInt8(ascii: "'"): throw fault(.singleQuote)
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"):
      throw fault(.literal)
    default: throw fault(.valueExpected)
    }
  }

  private mutating func literal(
    _ word: String, _ value: JSONValue
  ) throws(JSONError) -> JSONValue {
    guard bytes[place...].starts(with: word.utf8) else { throw fault(.literal) }
    place += word.utf8.count
    return value
  }

  private mutating func elements(depth: Int) throws(JSONError) -> [JSONValue] {
    guard depth <= limits.depth else { throw fault(.tooDeep) }
    place += 1
    skipSpace()
    var elements: [JSONValue] = []
    if take(UInt8(ascii: "]")) { return elements }
    while true {
      elements.append(try value(depth: depth))
      skipSpace()
      if take(UInt8(ascii: "]")) { return elements }
      guard take(UInt8(ascii: ",")) else { throw fault(.commaOrBracketExpected) }
      skipSpace()
      guard current != UInt8(ascii: "]") else { throw fault(.trailingComma) }
    }
  }

  private mutating func members(depth: Int) throws(JSONError) -> [JSONObject.Member] {
    guard depth <= limits.depth else { throw fault(.tooDeep) }
    place += 1
    skipSpace()
    var members: [JSONObject.Member] = []
    if take(UInt8(ascii: "}")) { return members }
    members.reserveCapacity(4)
    let outer = digests.count
    var names = Set<StoredValue>()
    while true {
      let begin = place
      let name = try name()
      guard isNew(name, among: members, outer: outer, &names) else {
        place = begin
        throw fault(.duplicateName)
      }
      try colon()
      members.append(.init(name: name.text, value: try value(depth: depth)))
      skipSpace()
      if take(UInt8(ascii: "}")) { break }
      guard take(UInt8(ascii: ",")) else { throw fault(.commaOrBraceExpected) }
      skipSpace()
      guard current != UInt8(ascii: "}") else { throw fault(.trailingComma) }
    }
    digests.removeSubrange(outer...)
    return members
  }

  /// Notes a name, and says whether the object did not have it.
  ///
  /// Comparing digests is quick for the few names of most objects. Beyond that there is a set,
  /// whose hashes nobody outside can foresee, so that no text makes this quadratic.
  private mutating func isNew(
    _ name: Name, among members: [JSONObject.Member], outer: Int, _ names: inout Set<StoredValue>
  ) -> Bool {
    guard members.count < 64 else {
      if names.isEmpty { for member in members { names.insert(.text(member.name)) } }
      return names.insert(.text(name.text)).inserted
    }
    for index in outer..<digests.count
    where digests[index] == name.digest
      && JSONObject.isSame(members[index - outer].name, name.text)
    {
      return false
    }
    digests.append(name.digest)
    return true
  }
}

extension JSONReader {
  /// The name of a member, with a digest that tells most names apart.
  struct Name {
    let text: String
    let digest: UInt64
  }

  /// Reads a name.
  mutating func name() throws(JSONError) -> Name {
    guard current == UInt8(ascii: "\"") else { throw fault(.nameExpected) }
    let begin = place
    let text = try string()
    // Of the name as it is written; one with escapes is told by its text.
    var digest: UInt64 = 0
    if text.utf8.count == place - begin - 2 {
      for byte in bytes[begin..<place] { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3 }
    } else {
      for byte in "\"\(text)\"".utf8 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
    return Name(text: text, digest: digest)
  }

  /// Reads a colon and what may stand around it.
  mutating func colon() throws(JSONError) {
    skipSpace()
    guard take(UInt8(ascii: ":")) else { throw fault(.colonExpected) }
    skipSpace()
  }

  /// The next byte, or 0 at the end: outside strings JSON has no use for either.
  @inline(__always)
  var current: UInt8 { place < bytes.endIndex ? bytes[place] : 0 }

  /// Takes a byte if it is the next.
  @inline(__always)
  mutating func take(_ byte: UInt8) -> Bool {
    guard current == byte else { return false }
    place += 1
    return true
  }

  @inline(__always)
  mutating func skipSpace() {
    while true {
      switch current {
      case 0x20, 0x0a, 0x0d, 0x09: place += 1
      default: return
      }
    }
  }

  /// What is wrong at the present place.
  func fault(_ fault: JSONFault) -> JSONError {
    var fault = fault
    switch fault {
    case .tooLong, .tooDeep, .more, .byteOrderMark, .duplicateName, .malformed: break
    case _ where place >= bytes.endIndex: fault = .endsEarly
    case .literal, .singleQuote, .leadingZero, .digitExpected, .control, .unknownEscape: break
    case .loneSurrogate, .hexadecimalExpected: break
    default: if bytes[place] == UInt8(ascii: "/") { fault = .comment }
    }
    return JSONError(fault.rawValue, at: JSONPosition(of: place, in: bytes))
  }
}
