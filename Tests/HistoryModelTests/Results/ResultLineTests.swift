import HistoryModel
import Testing

/// The lines of a query's rows, to the letter.
@Suite("Result lines")
struct ResultLineTests {
  private static let token = HistoryToken(
    storeIdentifier: HistoryTokenTests.store, epoch: 1, sequence: 7, check: 8)
  private static let old = ResultRows(
    columns: ["id", "a \"b\""], rows: [[1, "x"], [2, .blob([0])], [3, nil]])
  private static let new = ResultRows(
    columns: ["id", "a \"b\""], rows: [[3, 1.0], [1, "x"], [4, "\n"]])

  @Test("rows are objects in column order, values as in changes")
  func results() {
    #expect(
      LineEncoderTests.line { $0.results(Self.old, token: Self.token) }
        == #"{"kind":"results","token":"\#(Self.token)","rows":[{"id":1,"a \"b\"":"x"},"#
        + #"{"id":2,"a \"b\"":{"$blob":"AA=="}},{"id":3,"a \"b\"":null}]}"# + "\n")
    #expect(
      LineEncoderTests.line { $0.results(ResultRows(columns: ["a"]), token: Self.token) }
        == #"{"kind":"results","token":"\#(Self.token)","rows":[]}"# + "\n")
  }

  @Test("a difference has its four lists, also where they are empty")
  func difference() {
    let difference = ResultsDifference(from: Self.old, to: Self.new, key: [0])
    #expect(
      LineEncoderTests.line { $0.difference(difference, token: Self.token) }
        == #"{"kind":"difference","token":"\#(Self.token)","#
        + #""inserted":[{"index":2,"row":{"id":4,"a \"b\"":"\n"}}],"#
        + #""removed":[{"index":1,"key":{"id":2}}],"moved":[{"from":0,"to":1}],"#
        + #""updated":[{"index":0,"row":{"id":3,"a \"b\"":1.0},"changed":["a \"b\""]}]}"# + "\n")
    let nothing = ResultsDifference(from: Self.old, to: Self.old)
    #expect(
      LineEncoderTests.line { $0.difference(nothing, token: Self.token) }
        == #"{"kind":"difference","token":"\#(Self.token)","inserted":[],"removed":[],"moved":[],"#
        + #""updated":[]}"# + "\n")
  }

  @Test("without a key the whole row is the key of what is removed")
  func wholeRow() {
    let difference = ResultsDifference(from: Self.old, to: ResultRows(columns: Self.old.columns))
    let line = LineEncoderTests.line { $0.difference(difference, token: Self.token) }
    #expect(line.contains(#""removed":[{"index":0,"key":{"id":1,"a \"b\"":"x"}},{"index":1,"#))
  }

  @Test("sections come last")
  func sections() {
    let rows = ResultRows(columns: ["s"], rows: [["a"], ["a"], [nil]])
    let sections = rows.sections(by: 0)
    let end = #","sections":[{"value":"a","count":2},{"value":null,"count":1}]}"# + "\n"
    #expect(
      LineEncoderTests.line { $0.results(rows, token: Self.token, sections: sections) }
        .hasSuffix("]" + end))
    let difference = ResultsDifference(from: rows, to: rows)
    #expect(
      LineEncoderTests.line {
        $0.difference(difference, token: Self.token, sections: sections)
      }.hasSuffix(#""updated":[]"# + end))
  }
}
