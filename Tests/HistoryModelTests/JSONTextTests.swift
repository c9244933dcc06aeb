import HistoryModel
import Testing

@Suite("JSON text")
struct JSONTextTests {
  @Test(
    "each storage class has the form that keeps its bits",
    arguments: [
      (.null, "null"),
      (.integer(0), "0"), (.integer(9), "9"), (.integer(10), "10"), (.integer(-1), "-1"),
      (.integer(-10), "-10"), (.integer(1_234_567_890), "1234567890"),
      (.integer(9_007_199_254_740_991), "9007199254740991"),
      (.integer(-9_007_199_254_740_991), "-9007199254740991"),
      (.integer(9_007_199_254_740_992), #"{"$integer":"9007199254740992"}"#),
      (.integer(-9_007_199_254_740_992), #"{"$integer":"-9007199254740992"}"#),
      (.integer(.max), #"{"$integer":"9223372036854775807"}"#),
      (.integer(.min), #"{"$integer":"-9223372036854775808"}"#),
      (.real(1), "1.0"), (.real(-0.0), "-0.0"), (.real(0), "0.0"), (.real(0.1), "0.1"),
      (.real(0.1 + 0.2), "0.30000000000000004"), (.real(.leastNonzeroMagnitude), "5e-324"),
      (.real(1e300), "1e+300"), (.real(1e16), "1e+16"), (.real(123_456.5), "123456.5"),
      (.real(9_007_199_254_740_992), "9007199254740992.0"),
      (.real(.greatestFiniteMagnitude), "1.7976931348623157e+308"),
      (.real(.infinity), #"{"$real":"Infinity"}"#),
      (.real(-.infinity), #"{"$real":"-Infinity"}"#),
      (.blob([]), #"{"$blob":""}"#), (.blob([0]), #"{"$blob":"AA=="}"#),
      (.blob([0xfb, 0xff]), #"{"$blob":"+/8="}"#), (.blob([1, 2, 3]), #"{"$blob":"AQID"}"#),
    ] as [(StoredValue, String)])
  func values(value: StoredValue, expected: String) { #expect(Self.json(value) == expected) }

  @Test(
    "text is escaped where JSON asks for it and nowhere else",
    arguments: [
      ("", #""""#), ("a", #""a""#), ("a\0b", #""a\u0000b""#), ("\u{1}\u{1f}", #""\u0001\u001f""#),
      ("\u{8}\t\n\u{c}\r", #""\b\t\n\f\r""#), (#""\/"#, #""\"\\/""#), ("\u{7f}", "\"\u{7f}\""),
      ("é", "\"é\""), ("e\u{301}", "\"e\u{301}\""), ("\u{2028}", "\"\u{2028}\""),
      ("😀", "\"😀\""), ("\u{10ffff}", "\"\u{10ffff}\""), ("\u{ffff}", "\"\u{ffff}\""),
      ("\u{fffe}\u{feff}", "\"\u{fffe}\u{feff}\""), ("\u{d7ff}\u{e000}", "\"\u{d7ff}\u{e000}\""),
      ("x\ny", #""x\ny""#),
    ])
  func text(text: String, expected: String) {
    #expect(Self.json(.text(text)).utf8.elementsEqual(expected.utf8))
    var bytes: [UInt8] = []
    JSONText.append(text, to: &bytes)
    #expect(bytes == Array(expected.utf8))
  }

  @Test("no text of one control character can end a line or a string")
  func controls() {
    for scalar in (0..<0x20).compactMap({ Unicode.Scalar($0) }) {
      let json = Self.json(.text(String(Character(scalar))))
      #expect(json.utf8.allSatisfy { $0 >= 0x20 })
      #expect(json.hasPrefix("\"\\"))
    }
  }

  @Test(
    "bytes that are not UTF-8 are wrapped whole",
    arguments: [
      ([0x80], "gA=="), ([0xff], "/w=="), ([0xc0, 0x80], "wIA="), ([0xc1, 0xbf], "wb8="),
      ([0xc3], "ww=="), ([0x61, 0xc3, 0x28], "YcMo"), ([0xe0, 0x9f, 0xbf], "4J+/"),
      ([0xed, 0xa0, 0x80], "7aCA"), ([0xed, 0xbf, 0xbf], "7b+/"), ([0xe2, 0x82], "4oI="),
      ([0xe2, 0x28, 0xa1], "4iih"), ([0xf0, 0x8f, 0xbf, 0xbf], "8I+/vw=="),
      ([0xf4, 0x90, 0x80, 0x80], "9JCAgA=="), ([0xf5, 0x80, 0x80, 0x80], "9YCAgA=="),
      ([0xf0, 0x9f, 0x98], "8J+Y"), ([0xf0, 0x9f, 0x28, 0x80], "8J8ogA=="),
      ([0xe2, 0x82, 0x28], "4oIo"), ([0x61, 0x80], "YYA="), ([0x00, 0xff], "AP8="),
    ] as [([UInt8], String)])
  func malformed(bytes: [UInt8], expected: String) {
    #expect(Self.json(.malformedText(bytes)) == #"{"$text":"\#(expected)"}"#)
    // The standard library is of the same mind.
    #expect(String(validating: bytes, as: UTF8.self) == nil)
  }

  @Test("what is text agrees with the standard library for all short byte strings")
  func validity() {
    // The first bytes at which table 3-7 of the Unicode standard changes its mind.
    let edges: [UInt8] = [
      0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec,
      0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff,
    ]
    var wrong: [[UInt8]] = []
    func look(_ bytes: [UInt8], _ depth: Int) {
      let isWrapped = Self.json(.malformedText(bytes)).hasPrefix("{")
      if isWrapped != (String(validating: bytes, as: UTF8.self) == nil) { wrong.append(bytes) }
      if depth > 0 { for edge in edges { look(bytes + [edge], depth - 1) } }
    }
    look([], 3)
    for lead: UInt8 in [0xf0, 0xf1, 0xf4] {
      for second in edges { for third in edges { look([lead, second, third], 1) } }
    }
    #expect(wrong.isEmpty)
  }

  @Test("a missing text is null")
  func missing() {
    var bytes: [UInt8] = []
    JSONText.append(nil as String?, to: &bytes)
    #expect(bytes == Array("null".utf8))
  }

  static func json(_ value: StoredValue) -> String {
    var buffer = CellBuffer()
    // Something before it, so that no offset is 0 by chance.
    buffer.append(.text("before"))
    buffer.append(value)
    var bytes: [UInt8] = []
    JSONText.append(buffer.cells[1], of: buffer, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
