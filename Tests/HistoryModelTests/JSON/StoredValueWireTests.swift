import HistoryModel
import Testing

@Suite("Stored value from a line")
struct StoredValueWireTests {
  @Test("every stored value is written and read back to the last bit", arguments: 0..<20)
  func roundTrip(seed: UInt64) throws {
    var random = Seeded(seed)
    for _ in 0..<500 {
      try check(random.stored())
    }
  }

  @Test(
    "so are those at the edges",
    arguments: [
      nil, 0, .integer(.max), .integer(.min), .integer(1 << 53), .integer(1 << 53 - 1),
      .integer(-(1 << 53)), .integer(1 - 1 << 53), .real(0), .real(-0.0), .real(1),
      .real(.infinity), .real(-.infinity), .real(.leastNonzeroMagnitude),
      .real(.leastNormalMagnitude), .real(.greatestFiniteMagnitude), .real(9_007_199_254_740_994),
      .real(1e22), .real(1e23), .real(0.1 + 0.2), "", "\0", "a\0b", "\u{e9}", "e\u{301}", "😀",
      #"{"$blob":""}"#, .blob([]), .blob([0]), .blob(Array(0...255)), .malformedText([0xff]),
      .malformedText([0x61, 0x00, 0xc3]),
    ] as [StoredValue])
  func edges(value: StoredValue) throws { try check(value) }

  @Test(
    "a form that is never written is read where it can mean only one thing",
    arguments: [
      (#"{"$integer":"5"}"#, .integer(5)), ("9007199254740993", .integer(9_007_199_254_740_993)),
      (#"{"$text":"YQ=="}"#, .text("a")), ("-0", .real(-0.0)), ("1E0", .real(1)),
      (#""\u0061""#, .text("a")), (#"{ "$blob" : "AA==" }"#, .blob([0])),
    ] as [(String, StoredValue)])
  func lenient(text: String, expected: StoredValue) throws {
    #expect(StoredValue(wire: try JSONValue(parsing: text.utf8)) == expected)
  }

  @Test(
    "what is no stored value is refused",
    arguments: [
      "true", "false", "[]", "[1]", "{}", #"{"a":"b"}"#, #"{"$integer":5}"#, #"{"$integer":"+5"}"#,
      #"{"$integer":"05"}"#, #"{"$integer":"-0"}"#, #"{"$integer":" 5"}"#, #"{"$integer":""}"#,
      #"{"$integer":"9223372036854775808"}"#, #"{"$integer":"5","$blob":""}"#, "1e999",
      "9223372036854775808", #"{"$real":"NaN"}"#, #"{"$real":"1.0"}"#, #"{"$real":"infinity"}"#,
      #"{"$blob":"A"}"#, #"{"$blob":"AA"}"#, #"{"$blob":"AA="}"#, #"{"$blob":"AA==="}"#,
      #"{"$blob":"AA==AA=="}"#, #"{"$blob":"AB=="}"#, #"{"$blob":"A-_="}"#, #"{"$blob":"===="}"#,
      #"{"$blob":"AA =="}"#, #"{"$text":"AAB"}"#, #"{"$blob":null}"#, #"{"$other":"x"}"#,
    ])
  func refused(text: String) throws {
    #expect(StoredValue(wire: try JSONValue(parsing: text.utf8)) == nil)
  }

  private func check(_ value: StoredValue) throws {
    var buffer = CellBuffer()
    buffer.append(value)
    var bytes: [UInt8] = []
    JSONText.append(buffer.cells[0], of: buffer, to: &bytes)
    let back = StoredValue(wire: try JSONValue(parsing: bytes))
    #expect(back == value)
  }
}

extension Seeded {
  /// Any value that SQLite can store.
  mutating func stored() -> StoredValue {
    switch Int.random(in: 0..<6, using: &self) {
    case 0: return .integer(integer())
    case 1: return .real(finite())
    case 2: return .real(Double(Int64.random(in: -99999...99999, using: &self)) / 100)
    case 3: return .text(text())
    case 4: return .blob(bytes())
    default: return .malformedText(bytes() + [0xff] + bytes())
    }
  }
}
