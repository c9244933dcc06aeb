import HistoryModel
import Testing

@Suite("Measured texts")
struct MeasuredTextTests {
  @Test("a time is written as it is read", arguments: ["0ms", "1ms", "250ms", "59s", "60s", "7d"])
  func times(text: String) throws {
    let duration = try MeasuredText.duration(text)
    #expect(try MeasuredText.duration(MeasuredText.text(duration)) == duration)
  }

  @Test("a time takes the longest unit that loses nothing")
  func longestUnit() {
    #expect(MeasuredText.text(.seconds(86_400)) == "1d")
    #expect(MeasuredText.text(.seconds(5_400)) == "90m")
    #expect(MeasuredText.text(.milliseconds(1_001)) == "1001ms")
    #expect(MeasuredText.text(.zero) == "0ms")
    #expect(MeasuredText.text(bytes: 256 << 20) == "256MB")
    #expect(MeasuredText.text(bytes: 1 << 30) == "1GB")
    #expect(MeasuredText.text(bytes: 1025 << 10) == "1025KB")
  }

  @Test("what is malformed is told from what is too large")
  func faults() {
    #expect(throws: MeasuredText.Fault.malformed) { try MeasuredText.duration("10") }
    #expect(throws: MeasuredText.Fault.malformed) { try MeasuredText.duration("s") }
    #expect(throws: MeasuredText.Fault.malformed) { try MeasuredText.duration("10w") }
    #expect(throws: MeasuredText.Fault.tooLarge(limit: "36525d")) {
      try MeasuredText.duration("36526d")
    }
    #expect(throws: MeasuredText.Fault.malformed) { try MeasuredText.bytes("1TB") }
    #expect(throws: MeasuredText.Fault.tooLarge(limit: "8589934591GB")) {
      try MeasuredText.bytes("99999999999GB")
    }
    #expect(throws: MeasuredText.Fault.malformed) { try MeasuredText.perDay("0/day") }
    #expect(throws: MeasuredText.Fault.malformed) { try MeasuredText.perDay("5/week") }
    #expect(throws: MeasuredText.Fault.tooLarge(limit: "9223372036854775807/day")) {
      try MeasuredText.perDay("\(UInt64.max)/day")
    }
  }
}
