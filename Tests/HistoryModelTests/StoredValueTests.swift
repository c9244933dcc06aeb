import HistoryModel
import Testing

@Suite("Stored value")
struct StoredValueTests {
  static let different: [StoredValue] = [
    .null, .integer(0), .integer(1), .real(0.0), .real(-0.0), .real(1.0), .text(""), .text("1"),
    .text("\u{e9}"), .text("e\u{301}"), .text("a\0"), .text("a"), .malformedText([0xff]),
    .malformedText([]), .blob([]), .blob([0x61]), .blob([0xff]),
  ]

  @Test("values that differ in storage class or in a bit are not equal")
  func bits() {
    for (i, a) in Self.different.enumerated() {
      for (j, b) in Self.different.enumerated() { #expect((a == b) == (i == j), "\(a) \(b)") }
    }
    #expect(Set(Self.different).count == Self.different.count)
  }

  @Test("equal values have equal hashes")
  func hashes() {
    for value in Self.different { #expect(Set([value, value]).count == 1) }
    #expect(
      StoredValue.text("abc").hashValue == StoredValue.text(String("xabc".dropFirst())).hashValue)
  }

  @Test("literals stand for the storage class that they look like")
  func literals() {
    let values: [StoredValue] = [7, 7.0, "7", nil]
    #expect(values == [.integer(7), .real(7), .text("7"), .null])
  }

  @Test("a value is asked for what it is")
  func parts() {
    #expect(StoredValue.integer(3).integer == 3)
    #expect(StoredValue.real(3).integer == nil)
    #expect(StoredValue.text("3").text == "3")
    #expect(StoredValue.malformedText([0xff]).text == nil)
    #expect(StoredValue.blob([0x33]).text == nil)
    #expect(StoredValue.null.isNull)
    #expect(!StoredValue.text("").isNull)
  }

  @Test("a buffer gives back every value, and tells identical cells from others")
  func buffer() {
    var buffer = CellBuffer()
    for value in Self.different + Self.different { buffer.append(value) }
    let count = Self.different.count
    for (i, value) in Self.different.enumerated() {
      // Text without a byte is valid, whatever it was called.
      #expect(buffer.value(at: i) == (value == .malformedText([]) ? .text("") : value))
      #expect(buffer.isIdentical(i, i + count))
      for j in 0..<count where j != i && ![value, Self.different[j]].contains(.malformedText([])) {
        #expect(!buffer.isIdentical(i, j + count), "\(value) \(Self.different[j])")
      }
    }
    buffer.removeAll()
    #expect(buffer.cells.isEmpty && buffer.bytes.isEmpty)
  }
}
