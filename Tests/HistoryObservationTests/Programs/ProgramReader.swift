import HistoryModel
import HistoryObservation
import HistoryStore
import Testing

/// Reads whole transactions, and begins anew where it is told that it cannot go on.
struct ProgramReader: Sendable {
  let observed: ObservedStore
  let timeline: Timeline

  func readToEnd() async throws {
    var isOver = false
    while !isOver {
      let (start, wasOver, token) = try await Self.position(observed)
      if wasOver { return }
      do {
        isOver = try await isRead(from: start, token)
      } catch let error as HistoryError {
        #expect(error.code == .historyTokenExpired)
      }
    }
  }

  /// Reads until the last number, each of which must follow the one before it.
  private func isRead(from start: Int64, _ token: HistoryToken) async throws -> Bool {
    var last = start
    let inserts = ChangeFilter(operations: [.insert])
    for try await transaction in observed.transactions(after: token, filter: inserts) {
      for change in transaction.changes where change.table == "t" {
        let number = change.key["n", as: Int64.self] ?? 0
        #expect(timeline.isNext(number, after: last), "\(number) after \(last)")
        last = number
        if change.after["v", as: String.self] == "end" { return true }
      }
    }
    return false
  }

  static func position(
    _ observed: ObservedStore
  ) async throws -> (Int64, Bool, HistoryToken) {
    try await observed.read { view in
      let row = try view.rows(
        "SELECT coalesce(max(n), 0) AS n, coalesce(max(v = 'end'), 0) AS e FROM t")[0]
      return (row["n", as: Int64.self] ?? 0, row["e", as: Bool.self] ?? false, view.token)
    }
  }
}
