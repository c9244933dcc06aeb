import HistoryModel
import Testing

@Suite("Facts as a snapshot file holds them")
struct FactsLineTests {
  private let time = CalendarTime(milliseconds: 1_800_000_000_123)

  @Test("rows are objects with values as in lines")
  func rows() {
    let token = HistoryToken(storeIdentifier: StoreIdentifier(), epoch: 1, sequence: 7, check: 9)
    var lines = LineEncoder()
    lines.facts(
      ResultRows(
        columns: ["id", "data"],
        rows: [[.integer(1), .blob([0xff])], [.integer(.max), .null]]),
      schema: 3, token: token, at: time)
    #expect(
      String(decoding: lines.bytes, as: UTF8.self)
        == #"{"format":1,"schema":3,"token":"\#(token)","generatedAt":"2027-01-15T08:00:00.123Z","#
        + #""rows":[{"id":1,"data":{"$blob":"/w=="}},"#
        + #"{"id":{"$integer":"9223372036854775807"},"data":null}]}"# + "\n")
  }

  @Test("what is not known is null, and no rows are an empty list")
  func nothing() {
    var lines = LineEncoder()
    lines.facts(ResultRows(), schema: nil, token: nil, at: time)
    #expect(
      String(decoding: lines.bytes, as: UTF8.self)
        == #"{"format":1,"schema":null,"token":null,"generatedAt":"2027-01-15T08:00:00.123Z","#
        + #""rows":[]}"# + "\n")
  }
}
