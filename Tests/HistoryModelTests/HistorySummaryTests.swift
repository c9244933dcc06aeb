import HistoryModel
import Testing

@Suite("Summary of a range")
struct HistorySummaryTests {
  private static let store = StoreIdentifier()

  private static func token(_ sequence: Int64) -> HistoryToken {
    HistoryToken(storeIdentifier: store, epoch: 1, sequence: sequence, check: 7)
  }

  @Test("ranges that follow each other add up, and names are there once, in order")
  func merging() {
    var summary = HistorySummary(since: Self.token(0))
    #expect(summary.isEmpty)
    summary.add(author: "b", changes: 2, tables: ["y", "x"], until: Self.token(3))
    var next = HistorySummary(since: Self.token(3))
    next.add(author: nil, changes: 1, tables: ["x", "z"], until: Self.token(5))
    next.add(author: "b", changes: 1, tables: ["y"], until: Self.token(7))
    summary.merge(next)
    #expect(summary.since == Self.token(0) && summary.until == Self.token(7))
    #expect(summary.transactions == 3 && summary.changes == 4)
    #expect(summary.tables == ["y", "x", "z"])
    #expect(summary.authors == ["b", nil])
  }

  @Test("so many tables and authors are named and no more; what matched is counted all the same")
  func limits() {
    var summary = HistorySummary(since: Self.token(0))
    for number in 1...3000 {
      summary.add(
        author: "a\(number)", changes: 1, tables: ["t\(number)"], until: Self.token(Int64(number)))
    }
    #expect(summary.tables == (1...HistorySummary.tableLimit).map { "t\($0)" })
    #expect(summary.authors == (1...HistorySummary.authorLimit).map { "a\($0)" })
    #expect(summary.transactions == 3000)
  }

  @Test("a notice about a table is something, even where nothing was committed")
  func notice() {
    var summary = HistorySummary(since: Self.token(0))
    summary.add(noticeOf: "t", until: nil)
    #expect(!summary.isEmpty && summary.tables == ["t"] && summary.until == Self.token(0))
  }
}
