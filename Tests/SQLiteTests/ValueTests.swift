import HistoryModel
import SQLite
import Testing

@Suite("Values")
struct ValueTests {
  static let values: [StoredValue] = [
    .null, 0, 1, -1, .integer(.max), .integer(.min), .integer(1 << 53 + 1),
    0.0, .real(-0.0), 0.1, .real(0.1 + 0.2), .real(.infinity), .real(-.infinity),
    .real(.greatestFiniteMagnitude), .real(.leastNonzeroMagnitude), .real(.pi), .real(1e17),
    "", "a", "Grüße 👩‍👩‍👧 \u{FFFF}", "a\0b", "\0", "e\u{301}", "\u{E9}",
    .malformedText([0xFF, 0xFE]), .malformedText([0x61, 0, 0xED, 0xA0, 0x80]),
    .blob([]), .blob([0]), .blob([0, 0xFF, 0x61]), .blob(Array(repeating: 7, count: 100_000)),
    .text(String(repeating: "ä", count: 50_000)),
  ]

  @Test("a value comes back from a table to the last bit", arguments: values)
  func roundTrip(value: StoredValue) throws {
    let connection = try Connection.inMemory()
    try connection.execute("CREATE TABLE t(x)")
    try connection.run("INSERT INTO t VALUES (?1)", value)
    let row = try #require(try connection.row("SELECT x FROM t"))
    #expect(row == [value])
  }

  @Test("a value comes into a cell buffer to the last bit", arguments: values)
  func cell(value: StoredValue) throws {
    let connection = try Connection.inMemory()
    let statement = try connection.prepare("SELECT 'before', ?1, 7")
    try statement.bind(value, at: 1)
    #expect(try statement.step())
    var buffer = CellBuffer()
    statement.appendCells(0..<3, to: &buffer)
    statement.appendCells(1..<2, to: &buffer)
    #expect((0..<4).map { buffer.value(at: $0) } == ["before", value, 7, value])
  }

  @Test("a NaN becomes NULL")
  func nan() throws {
    let connection = try Connection.inMemory()
    #expect(try connection.row("SELECT ?1", .real(.nan)) == [.null])
  }

  @Test("the accessors of one column agree with the value")
  func accessors() throws {
    let connection = try Connection.inMemory()
    let statement = try connection.prepare(
      "SELECT 42, 1.5, 'a'||char(0)||'ö', x'0102', NULL, CAST(x'FF' AS TEXT), '12abc'")
    #expect(try statement.step())
    #expect(statement.columnCount == 7)
    #expect(
      (0..<8).map { statement.storage(at: $0) } == [
        .integer, .real, .text, .blob, .null, .text, .text, .null,
      ])
    #expect(statement.int64(at: 0) == 42)
    #expect(statement.double(at: 1) == 1.5)
    #expect(statement.text(at: 2) == "a\0ö")
    #expect(statement.byteCount(at: 2) == 4)
    #expect(statement.byteCount(at: 3) == 2)
    #expect(statement.isNull(at: 4))
    #expect(!statement.isNull(at: 3))
    #expect(statement.int64(at: 4) == 0)
    #expect(statement.text(at: 0) == nil)
    #expect(statement.text(at: 4) == nil)
    #expect(statement.text(at: 5) == nil)
    #expect(statement.value(at: 5) == .malformedText([0xFF]))
    #expect(statement.int64(at: 6) == 12)
  }
}
