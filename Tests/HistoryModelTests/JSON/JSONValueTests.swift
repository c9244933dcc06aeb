import HistoryModel
import Testing

@Suite("JSON value")
struct JSONValueTests {
  @Test(
    "what RFC 8259 allows is read, and nothing is lost",
    arguments: [
      ("null", nil), ("true", true), (" false\r\n", false), ("0", 0), ("-7", -7), ("[]", []),
      ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
      ("9223372036854775808", .outsized("9223372036854775808")),
      ("-9223372036854775809", .outsized("-9223372036854775809")),
      ("100000000000000000000", .outsized("100000000000000000000")),
      ("1e999", .outsized("1e999")), ("-1.0E+400", .outsized("-1.0E+400")),
      ("-0", .real(-0.0)), ("-0.0", .real(-0.0)), ("0.0", .real(0)), ("1.0", .real(1)),
      ("1e2", .real(100)), ("1E-2", .real(0.01)), ("0e5", .real(0)), ("1e-999", .real(0)),
      ("5e-324", .real(.leastNonzeroMagnitude)),
      ("1.7976931348623157e+308", 1.7976931348623157e308),
      ("0.30000000000000004", .real(0.1 + 0.2)),
      ("9007199254740993.0", .real(9_007_199_254_740_992)),
      ("123456789012345678901234567890.5e-20", .real(1_234_567_890.1234567890123456)),
      ("{}", .object(.init())), (#"{"a":{"b":[1,2.5,"x"]}}"#, ["a": ["b": [1, 2.5, "x"]]]),
      (" \t{ \"a\" : 1 ,\n\"b\" : [ ] } ", ["a": 1, "b": []]),
      (#""""#, ""), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"),
      (#""\u0000a\u00e9\u00E9""#, "\0aéé"), (#""\ud83d\ude00\uD83D\uDE00""#, "😀😀"),
      ("\"é😀\u{7f}\u{2028}\u{ffff}\"", "é😀\u{7f}\u{2028}\u{ffff}"),
      (#""\u2028\uffff""#, "\u{2028}\u{ffff}"),
      (#""\udbff\udfff\ud800\udc00""#, "\u{10ffff}\u{10000}"),
      ("[[[[]]],[{}]]", [[[[]]], [.object(.init())]]),
    ] as [(String, JSONValue)])
  func accepted(text: String, expected: JSONValue) throws {
    #expect(try JSONValue(parsing: text.utf8) == expected)
    // What was read is written so that it is read as the same.
    var bytes: [UInt8] = []
    JSONText.append(expected, to: &bytes)
    #expect(try JSONValue(parsing: bytes) == expected)
    // Also as a part of something longer.
    let inside = Array("x\(text)x".utf8)
    #expect(try JSONValue(parsing: inside.dropFirst().dropLast()) == expected)
  }

  @Test(
    "what it does not allow is refused with the place and a sentence",
    arguments: [
      ("", "1:1 the text ends too early"), ("  ", "1:3 the text ends too early"),
      ("[1,]", "1:4 a comma must be followed by another element"),
      ("{\"a\":1,\n}", "2:1 a comma must be followed by another element"),
      ("[1 2]", "1:4 a comma or a closing bracket is expected"),
      ("{\"a\" 1}", "1:6 a colon is expected after the name"),
      ("{\"a\":1 \"b\":2}", "1:8 a comma or a closing brace is expected"),
      ("{a:1}", "1:2 a name in double quotes is expected"),
      ("{1:1}", "1:2 a name in double quotes is expected"),
      ("{\"a\":}", "1:6 a value is expected"), ("[,1]", "1:2 a value is expected"),
      ("{\n  // why\n}", "2:3 JSON has no comments"), ("[/**/1]", "1:2 JSON has no comments"),
      ("1 2", "1:3 nothing may follow the value"), ("[]]", "1:3 nothing may follow the value"),
      ("{\"é\":1,\"\\u00e9\":2}", "1:8 the object has a member of this name already"),
      ("\u{feff}1", "1:1 the text must not begin with a byte order mark"),
      ("True", "1:1 only true, false and null may stand without quotes"),
      ("nul", "1:1 only true, false and null may stand without quotes"),
      ("NaN", "1:1 only true, false and null may stand without quotes"),
      ("-Infinity", "1:2 a digit is expected"), ("+1", "1:1 a value is expected"),
      ("01", "1:2 a number must not begin with a zero that another digit follows"),
      ("-012", "1:3 a number must not begin with a zero that another digit follows"),
      (".5", "1:1 a value is expected"), ("1.", "1:3 the text ends too early"),
      ("1.e5", "1:3 a digit is expected"), ("[1e]", "1:4 a digit is expected"),
      ("1e+", "1:4 the text ends too early"), ("0x10", "1:2 nothing may follow the value"),
      ("'a'", "1:1 strings stand in double quotes"), ("\"a", "1:3 the text ends too early"),
      ("\"a\nb\"", "1:3 a control character in a string must be escaped"),
      ("\"\\a\u{1}\"", "1:3 there is no such escape"),
      ("\"\\n\u{1}\"", "1:4 a control character in a string must be escaped"),
      (#""\x41""#, "1:3 there is no such escape"),
      (#""\u12G4""#, "1:6 four hexadecimal digits are expected after \\u"),
      (#""\u12"#, "1:6 the text ends too early"), (#""\"#, "1:3 the text ends too early"),
      (#""é\ud800""#, "1:3 half of a surrogate pair means nothing alone"),
      (#""\udc00\ud800""#, "1:2 half of a surrogate pair means nothing alone"),
      (#""\ud800\u0041""#, "1:2 half of a surrogate pair means nothing alone"),
      (#""\ud800\ud800""#, "1:2 half of a surrogate pair means nothing alone"),
      (#""\ud800\n""#, "1:2 half of a surrogate pair means nothing alone"),
      (#""\ud800"#, "1:8 the text ends too early"),
      ("[1\0]", "1:3 a comma or a closing bracket is expected"),
      ("{\n  \"kinds\": [\n    {\"é\": 1, \"b\" 2}\n", "3:18 a colon is expected after the name"),
    ])
  func refused(text: String, expected: String) {
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text.utf8) }
    let found = error.map { "\($0.position.line):\($0.position.column) \($0.reason)" }
    #expect(found == expected)
  }

  @Test(
    "bytes that are not UTF-8 are refused where their string begins",
    arguments: [
      [0x80], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x82], [0xf5, 0x80, 0x80, 0x80],
    ])
  func malformed(bytes: [UInt8]) {
    for escape in ["", "\\n"] {
      let text = Array("[\"\(escape)".utf8) + bytes + Array("\"]".utf8)
      let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
      #expect(error?.description == "line 1, column 3: the string is not valid UTF-8")
    }
    #expect(throws: JSONError.self) { try JSONValue(parsing: bytes) }
  }

  @Test("depth and length are limited, and no depth exhausts the stack")
  func limits() throws {
    func nested(_ depth: Int, _ open: String, _ close: String) -> [UInt8] {
      Array(
        (String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)).utf8)
    }
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
      #expect(throws: Never.self) { try JSONValue(parsing: nested(64, open, close)) }
      let error = #expect(throws: JSONError.self) {
        try JSONValue(parsing: nested(65, open, close))
      }
      #expect(error?.reason == "arrays and objects are nested too deeply")
      let all = JSONValue.Limits(depth: .max)
      #expect(throws: Never.self) { try JSONValue(parsing: nested(512, open, close), limits: all) }
      #expect(throws: JSONError.self) {
        try JSONValue(parsing: nested(100_000, open, close), limits: all)
      }
    }
    let small = JSONValue.Limits(bytes: 4)
    #expect(try JSONValue(parsing: "1234".utf8, limits: small) == 1234)
    let error = #expect(throws: JSONError.self) {
      try JSONValue(parsing: "12345".utf8, limits: small)
    }
    #expect(error?.description == "line 1, column 1: the text is longer than is accepted")
  }

  @Test("a name that comes twice is found among few and among many, an equivalent one is another")
  func duplicateNames() throws {
    for count in [1, 2, 63, 64, 65, 1000] {
      let members = (0..<count).map { "\"name \($0)\":{\"name 0\":\($0)}" }
      let value = try JSONValue(parsing: "{\(members.joined(separator: ","))}".utf8)
      #expect(value.object?.count == count)
      #expect(value["name \(count - 1)"]?["name 0"] == .integer(Int64(count - 1)))
      for place in Set([0, count / 2, count - 1]) {
        let text = "{\((members + [members[place]]).joined(separator: ","))}"
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text.utf8) }
        #expect(error?.reason == "the object has a member of this name already")
      }
    }
    let equivalent = try JSONValue(parsing: "{\"\u{e9}\":1,\"e\u{301}\":2}".utf8)
    #expect(equivalent["\u{e9}"] == 1 && equivalent["e\u{301}"] == 2)
    #expect(JSONValue.string("\u{e9}") != .string("e\u{301}"))
  }

  @Test("one looks into a value without knowing its shape")
  func access() throws {
    let request = try JSONValue(
      parsing:
        #"{"since":"oldest","limit":3,"author":["a","b"],"f":false,"x":null,"y":1.5,"z":1e999}"#
        .utf8)
    #expect(request["since"]?.string == "oldest")
    #expect(request["limit"]?.integer == 3 && request["limit"]?.number == 3)
    #expect(request["author"]?.array?.compactMap(\.string) == ["a", "b"])
    #expect(
      request["author"]?[1] == "b" && request["author"]?[2] == nil && request["author"]?[-1] == nil)
    #expect(request["f"]?.boolean == false && request["x"]?.isNull == true)
    #expect(
      request["y"]?.number == 1.5 && request["y"]?.integer == nil && request["z"]?.number == nil)
    #expect(request["nothing"] == nil && request["since"]?["a"] == nil && request[0] == nil)
    #expect(request.object?.names == ["since", "limit", "author", "f", "x", "y", "z"])
    #expect(
      request.object?.map(\.value.kind) == [
        "a string", "a number", "an array", "a truth value", "null", "a number", "a number",
      ])
  }

  @Test("the place of a value that turns out to be of no use is found again")
  func positions() {
    let text = Array(
      """
      {
        "é": {"deep": [10, [20, 30]]},
        "kinds": [
          {"name": "a"},
          {"name": "b", "debounce":
            7}
        ]
      }
      """.utf8)
    func place(_ path: JSONPosition.Step...) -> String? {
      JSONPosition(of: path, in: text).map { "\($0.line):\($0.column)" }
    }
    #expect(place() == "1:1")
    #expect(place("é") == "2:3")
    #expect(place("é", "deep", 1, 1) == "2:27")
    #expect(place("kinds", 1) == "5:5")
    #expect(place("kinds", 1, "debounce") == "5:19")
    #expect(place("kinds", 2) == nil)
    #expect(place("kinds", "name") == nil)
    #expect(place(0) == nil)
    #expect(place("é", "deep", 0, 0) == nil)
    #expect(JSONPosition(of: ["a"], in: Array("{\"a".utf8)) == nil)
    #expect(JSONPosition(of: [0], in: Array("[]".utf8)) == nil)
  }
}
