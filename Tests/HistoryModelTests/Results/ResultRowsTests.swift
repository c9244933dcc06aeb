import HistoryModel
import Testing

@Suite("Result rows")
struct ResultRowsTests {
  @Test("rows are found by place and by name, and share what they hold")
  func rows() {
    let rows = ResultRows(columns: ["id", "Title"], rows: [[1, "a"], [2, nil]])
    #expect(rows.count == 2)
    #expect(rows.map { $0["title", as: String?.self] } == ["a", .some(nil)])
    #expect(rows[1] == ["id": 2, "Title": nil])
    #expect(rows.place(of: "TITLE") == 1)
    #expect(rows.place(of: "other") == nil)
    #expect(ResultRows().isEmpty)
    #expect(
      ResultRows(columns: ["a", "b"], rows: [[1], [1, 2, 3]]).map(\.values) == [[1, nil], [1, 2]])
  }

  @Test("two are equal only when columns, order and every bit are the same")
  func equality() {
    let rows = ResultRows(columns: ["a", "b"], rows: [["x", 0.0], ["y", 1]])
    #expect(rows == ResultRows(columns: ["a", "b"], rows: [["x", 0.0], ["y", 1]]))
    for other in [
      ResultRows(columns: ["a", "b"], rows: [["x", -0.0], ["y", 1]]),
      ResultRows(columns: ["a", "b"], rows: [["x", 0.0], ["y", 1.0]]),
      ResultRows(columns: ["a", "b"], rows: [["y", 1], ["x", 0.0]]),
      ResultRows(columns: ["a", "b"], rows: [["x", 0.0]]),
      ResultRows(columns: ["a", "B"], rows: [["x", 0.0], ["y", 1]]),
      ResultRows(columns: ["a"], rows: [["x"], ["y"]]),
    ] {
      #expect(rows != other)
    }
    #expect(
      ResultRows(columns: ["\u{e9}"], rows: []) != ResultRows(columns: ["e\u{301}"], rows: []))
  }

  @Test("values stay out of its description")
  func description() {
    #expect("\(ResultRows(columns: ["a", "b"], rows: [["secret", 1]]))" == "ResultRows(a, b: 1)")
  }

  @Test(
    "a repeated name gets a number, in any letter case, that no other has",
    arguments: [
      (["a", "b"], ["a", "b"]), (["a", "a", "a"], ["a", "a:1", "a:2"]),
      (["id", "ID"], ["id", "ID:1"]), (["a", "a", "a:1"], ["a", "a:2", "a:1"]), ([], []),
    ] as [([String], [String])])
  func distinct(names: [String], expected: [String]) {
    #expect(ResultRows.distinct(names) == expected)
  }

  @Test("sections are the runs of one value, to the bit")
  func sections() {
    let rows = ResultRows(
      columns: ["x", "n"], rows: [["a", 1], ["a", 1.0], ["b", 1.0], ["a", nil], ["a", nil]])
    #expect(
      rows.sections(by: 0) == [
        ResultsSection(value: "a", range: 0..<2), ResultsSection(value: "b", range: 2..<3),
        ResultsSection(value: "a", range: 3..<5),
      ])
    #expect(
      rows.sections(by: 1) == [
        ResultsSection(value: 1, range: 0..<1), ResultsSection(value: 1.0, range: 1..<3),
        ResultsSection(value: nil, range: 3..<5),
      ])
    #expect(ResultRows(columns: ["x"], rows: []).sections(by: 0).isEmpty)
  }
}
