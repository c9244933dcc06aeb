import HistoryTestSupport
import Testing

/// Whatever call of SQLite's fails, an operation says so, the store is right, and it can be done again.
@Suite("Faults at every call", .timeLimit(.minutes(10)))
struct FaultTests {
  @Test("of HistoryStore", arguments: FaultSubject.cases(FaultSubject.history))
  func history(faultCase: FaultCase) async throws { try await explore(faultCase) }

  @Test("of StoreBoundary", arguments: FaultSubject.cases(FaultSubject.boundary))
  func boundary(faultCase: FaultCase) async throws { try await explore(faultCase) }

  @Test("of HistorySync", arguments: FaultSubject.cases(FaultSubject.sync))
  func sync(faultCase: FaultCase) async throws { try await explore(faultCase) }

  private func explore(_ faultCase: FaultCase) async throws {
    let explorer = try await FaultExplorer(faultCase)
    let tallies =
      TestScale.isWhole ? try await explorer.exploreAll() : try await explorer.exploreInTurn()
    guard TestScale.isWhole else { return }
    let text = tallies.map { "\($0.manner) \($0.calls)" }.joined(separator: ", ")
    print("faults: \(faultCase.testDescription): \(text), runs \(tallies.map(\.runs).reduce(0, +))")
  }
}
