import HistoryModel
import Testing

@Suite("JSON of one's own types")
struct JSONCodingTests {
  private struct Task: Codable, Equatable {
    var id: Int
    var title: String?
    var isDone = false
    var tags: [String] = []
    var next: [Task]?
  }

  private static func text(_ value: some Encodable) throws -> String {
    var bytes: [UInt8] = []
    JSONText.append(try JSONValue(encoding: value), to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func back<Value: Codable>(_ value: Value) throws -> Value {
    try JSONValue(parsing: Self.text(value).utf8).decode(Value.self)
  }

  @Test("members stand in the order in which the type encodes them; nil is left out")
  func structs() throws {
    let task = Task(id: 7, title: "a\"b", tags: ["x"], next: [Task(id: 8)])
    #expect(
      try Self.text(task)
        == #"{"id":7,"title":"a\"b","isDone":false,"tags":["x"],"#
        + #""next":[{"id":8,"isDone":false,"tags":[]}]}"#)
    #expect(try Self.back(task) == task)
  }

  @Test("integers of every width keep every digit")
  func integers() throws {
    func check<Number: FixedWidthInteger & Codable>(_ type: Number.Type) throws {
      for number in [Number.min, 0, 1, Number.max] {
        #expect(try Self.text([number]) == "[\(number)]")
        #expect(try Self.back([number]) == [number])
        #expect(try Self.back(["a": number]) == ["a": number])
        #expect(try Self.back(number) == number)
      }
    }
    try check(Int.self)
    try check(Int8.self)
    try check(Int16.self)
    try check(Int32.self)
    try check(Int64.self)
    try check(Int128.self)
    try check(UInt.self)
    try check(UInt8.self)
    try check(UInt16.self)
    try check(UInt32.self)
    try check(UInt64.self)
    try check(UInt128.self)
  }

  @Test("the widest integers have methods of their own in every container")
  func wide() throws {
    struct Wide: Codable, Equatable {
      var a: Int128
      var b: UInt128
      var c: [Int128]
      var d: UInt128?
    }
    let wide = Wide(a: .min, b: .max, c: [.max, -1], d: 1 << 100)
    #expect(try Self.back(wide) == wide)
    #expect(throws: DecodingError.self) { try JSONValue.integer(-1).decode(UInt128.self) }
  }

  @Test("what does not fit is refused, and never cut or guessed")
  func refused() {
    #expect(throws: DecodingError.self) { try JSONValue.integer(256).decode(UInt8.self) }
    #expect(throws: DecodingError.self) { try JSONValue.real(1.5).decode(Int.self) }
    #expect(throws: DecodingError.self) { try JSONValue.string("1").decode(Int.self) }
    #expect(throws: DecodingError.self) { try JSONValue.integer(1).decode(Bool.self) }
    #expect(throws: DecodingError.self) { try JSONValue.integer(1).decode(String.self) }
    #expect(throws: DecodingError.self) { try JSONValue.real(1e300).decode(Float.self) }
    #expect(throws: DecodingError.self) { try JSONValue.null.decode(Int.self) }
    #expect(throws: DecodingError.self) { try JSONValue.array([]).decode([String: Int].self) }
    #expect(throws: DecodingError.self) { try (["a": 1] as JSONValue).decode([Int].self) }
    #expect(throws: DecodingError.self) { try ([1, nil] as JSONValue).decode([Int].self) }
  }

  @Test("numbers of other languages are read: 1.0 is an integer, 1 a real number")
  func foreignNumbers() throws {
    #expect(try JSONValue.real(3).decode(Int.self) == 3)
    #expect(try JSONValue.integer(3).decode(Double.self) == 3)
    #expect(throws: DecodingError.self) { try JSONValue.outsized("1e400").decode(Double.self) }
  }

  @Test("real numbers come back to the last bit; those that are not finite are refused")
  func reals() throws {
    for number in [0.1, -0.0, 1, .leastNonzeroMagnitude, .greatestFiniteMagnitude] {
      #expect(try Self.back([number]).map(\.bitPattern) == [number.bitPattern])
    }
    for number: Float in [0.1, .leastNonzeroMagnitude, .greatestFiniteMagnitude] {
      #expect(try Self.back([number]) == [number])
    }
    for number in [Double.nan, .infinity, -.infinity] {
      #expect(throws: EncodingError.self) { try JSONValue(encoding: [number]) }
      #expect(throws: EncodingError.self) { try JSONValue(encoding: ["a": Float(number)]) }
    }
  }

  @Test("nothing is null, alone, in lists and in what encodes it")
  func nothing() throws {
    struct Explicit: Codable, Equatable {
      var value: Int?
      init(value: Int?) { self.value = value }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        value =
          try container.decodeNil(forKey: .value) ? nil : container.decode(Int.self, forKey: .value)
      }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        if let value {
          try container.encode(value, forKey: .value)
        } else {
          try container.encodeNil(forKey: .value)
        }
      }
      enum Keys: CodingKey { case value }
    }
    #expect(try Self.text([1, nil] as [Int?]) == "[1,null]")
    #expect(try Self.back([nil, 1, nil] as [Int?]) == [nil, 1, nil])
    #expect(try Self.text(Explicit(value: nil)) == #"{"value":null}"#)
    #expect(try Self.back(Explicit(value: nil)) == Explicit(value: nil))
    #expect(try Self.back(Explicit(value: 2)) == Explicit(value: 2))
    #expect(try Self.text(Int?.none) == "null")
  }

  @Test("bytes that encode themselves as a list are an array of numbers")
  func bytes() throws {
    struct Bytes: Codable, Equatable {
      var bytes: [UInt8]
      init(_ bytes: [UInt8]) { self.bytes = bytes }
      init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        bytes = []
        while !container.isAtEnd { bytes.append(try container.decode(UInt8.self)) }
      }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for byte in bytes { try container.encode(byte) }
      }
    }
    #expect(try Self.text(["data": Bytes([0, 255])]) == #"{"data":[0,255]}"#)
    #expect(try Self.back(Bytes([1, 2, 3])) == Bytes([1, 2, 3]))
  }

  @Test("an enumeration with values, and dictionaries by number, are encoded as Swift does it")
  func standardLibrary() throws {
    enum State: Codable, Equatable { case idle, waiting(seconds: Int) }
    #expect(
      try Self.text([State.idle, .waiting(seconds: 3)])
        == #"[{"idle":{}},{"waiting":{"seconds":3}}]"#)
    #expect(try Self.back([State.idle, .waiting(seconds: 3)]) == [.idle, .waiting(seconds: 3)])
    #expect(try Self.back([1: "a", 2: "b"]) == [1: "a", 2: "b"])
  }
}
