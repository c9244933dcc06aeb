import HistoryTestSupport
import Testing

/// Random programs: whatever happens to a store, everybody gets everything, once and in order, or
/// is told that he does not.
@Suite("Observation of random programs", .timeLimit(.minutes(5)))
struct ObservationProgramTests {
  @Test(
    "readers, listeners and results agree with what was written",
    arguments: [TemporaryStore.Journal.wal, .delete, .persist], TestScale.seeds(4))
  func agrees(journal: TemporaryStore.Journal, seed: UInt64) async throws {
    let program = try await RandomProgram(journal, seed: seed)
    try await program.run(steps: 60)
  }
}
