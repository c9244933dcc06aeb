import HistoryModel
import Testing

@Suite("JSON from random texts")
struct JSONRandomTests {
  @Test("every value is written and read back to the last bit", arguments: 0..<20)
  func roundTrip(seed: UInt64) throws {
    var random = Seeded(seed)
    for _ in 0..<200 {
      let value = random.value(depth: 4)
      var bytes: [UInt8] = []
      JSONText.append(value, to: &bytes)
      let back = try JSONValue(parsing: bytes)
      #expect(back == value)
    }
  }

  @Test(
    "no bytes make the reader crash, and what it accepts it reads the same again", arguments: 0..<20
  )
  func anyBytes(seed: UInt64) throws {
    var random = Seeded(seed)
    let pieces =
      [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\ud83d", "\\ude00", "0", "-", "1e5", ".",
        "true", "null", " ", "\n", "a", "é", "\u{feff}", "9223372036854775808",
      ].map { Array($0.utf8) } + [[0x00], [0x80], [0xff], [0xed, 0xa0]]
    for round in 0..<2000 {
      var text: [UInt8] = []
      if round % 2 == 0 {
        // A good text with some damage.
        JSONText.append(random.value(depth: 3), to: &text)
        for _ in 0..<Int.random(in: 0...3, using: &random) where !text.isEmpty {
          let place = Int.random(in: 0..<text.count, using: &random)
          switch Int.random(in: 0..<3, using: &random) {
          case 0: text[place] = UInt8.random(in: 0...255, using: &random)
          case 1: text.remove(at: place)
          default: text.removeSubrange(place...)
          }
        }
      } else {
        for _ in 0..<Int.random(in: 0...12, using: &random) {
          text += pieces.randomElement(using: &random) ?? []
        }
      }
      do {
        let value = try JSONValue(parsing: text)
        var again: [UInt8] = []
        JSONText.append(value, to: &again)
        let back = try JSONValue(parsing: again)
        #expect(back == value)
      } catch {
        let lines = text.count { $0 == UInt8(ascii: "\n") } + 1
        #expect((1...lines).contains(error.position.line))
        #expect((1...text.count + 1).contains(error.position.column))
      }
    }
  }

  @Test("doubles are read as the standard library reads them", arguments: 0..<10)
  func doubles(seed: UInt64) throws {
    var random = Seeded(seed)
    for _ in 0..<2000 {
      let digits = (0..<Int.random(in: 1...25, using: &random)).map { _ in
        String(Int.random(in: 0...9, using: &random))
      }
      let point = Int.random(in: 0...digits.count, using: &random)
      let whole = String(digits[..<point].joined().drop { $0 == "0" })
      let exponent = Int.random(in: -60...60, using: &random)
      let text = "\(whole.isEmpty ? "0" : whole).\(digits[point...].joined())0e\(exponent)"
      let value = try JSONValue(parsing: text.utf8)
      #expect(value.number?.bitPattern == Double(text)?.bitPattern, "\(text)")
    }
  }
}

/// The same numbers for the same seed: SplitMix64.
struct Seeded: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  mutating func text() -> String {
    let scalars: [ClosedRange<UInt32>] = [
      0...0x7f, 0...0x1f, 0x20...0x7e, 0x80...0x7ff, 0x800...0xd7ff, 0xe000...0xffff,
      0x10000...0x10ffff,
    ]
    var text = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0...20, using: &self) {
      let range = scalars[Int.random(in: 0..<scalars.count, using: &self)]
      if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &self)) { text.append(scalar) }
    }
    return String(text)
  }

  /// Any finite number, with all exponents alike.
  mutating func finite() -> Double {
    while true {
      let number = Double(bitPattern: next())
      if number.isFinite { return number }
    }
  }

  /// An integer with any number of digits.
  mutating func integer() -> Int64 {
    Int64(bitPattern: next()) >> Int64.random(in: 0...63, using: &self)
  }

  mutating func bytes() -> [UInt8] {
    (0..<Int.random(in: 0...20, using: &self)).map { _ in UInt8.random(in: 0...255, using: &self) }
  }

  mutating func value(depth: Int) -> JSONValue {
    switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &self) {
    case 0: return nil
    case 1: return .boolean(Bool.random(using: &self))
    case 2: return .integer(integer())
    case 3: return .real(finite())
    case 4: return .outsized("1\(integer().magnitude)9999999999999999999")
    case 5: return .string(text())
    case 6:
      return .array((0..<Int.random(in: 0...4, using: &self)).map { _ in value(depth: depth - 1) })
    default:
      return .object(
        JSONObject(
          (0..<Int.random(in: 0...4, using: &self)).map {
            // The number makes them differ.
            .init(name: "\(text())\($0)", value: value(depth: depth - 1))
          }))
    }
  }
}
