import HistoryModel
import Testing

@Suite("Base64")
struct Base64Tests {
  @Test(
    "bytes are written as RFC 4648 has them",
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
      ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ])
  func vectors(text: String, expected: String) {
    #expect(Self.text(Array(text.utf8), .standard) == expected)
    #expect(Self.text(Array(text.utf8), .url) == String(expected.prefix { $0 != "=" }))
  }

  @Test("the alphabets differ in two characters")
  func alphabets() {
    #expect(Self.text([0xfb, 0xff, 0xfe], .standard) == "+//+")
    #expect(Self.text([0xfb, 0xff, 0xfe], .url) == "-__-")
  }

  @Test("every length and every byte reads back")
  func roundTrip() {
    for length in 0..<70 {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ length) }
      #expect(Base64.decode(Self.text(bytes, .url).utf8) == bytes)
    }
    #expect(Base64.decode(Self.text(Array(0...255), .url).utf8) == Array(0...255))
  }

  @Test(
    "a value has one text only",
    arguments: ["A", "Zg==", "Zh", "Zm9", "Zm-", "Zm9vA", "+/8", "Zm9v\n", " Zm9v", "Z\u{e9}9v"])
  func refused(text: String) { #expect(Base64.decode(text.utf8) == nil) }

  private static func text(_ bytes: [UInt8], _ alphabet: Base64.Alphabet) -> String {
    var output: [UInt8] = []
    Base64.append(bytes, alphabet, to: &output)
    return String(decoding: output, as: UTF8.self)
  }
}
