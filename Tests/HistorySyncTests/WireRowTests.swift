import HistoryModel
import Testing

@testable import HistorySync

@Suite("Rows that are kept as text")
struct WireRowTests {
  @Test("a row is read again however long it is: texts from elsewhere have a limit, rows have none")
  func long() {
    // What a row makes so long is nothing to the reader, and spaces are read fastest.
    let text = "[1," + String(repeating: " ", count: 17 << 20) + "2]"
    #expect(WireRow.values(text) == [1, 2])
  }

  @Test(
    "what is no row is not taken for one", arguments: ["", "[1,", "{}", "[true]", "[[1]]", "1"])
  func other(text: String) { #expect(WireRow.values(text) == nil) }

  @Test("each kind of value comes back as it was")
  func kinds() {
    let values: [StoredValue] = [
      .null, .integer(.min), .integer(.max), .real(0.1), .real(-.infinity), .text("\u{0}\"é"),
      .text(""), .blob([0, 255]), .blob([]),
    ]
    #expect(WireRow.values(WireRow.text(values)) == values)
  }
}
