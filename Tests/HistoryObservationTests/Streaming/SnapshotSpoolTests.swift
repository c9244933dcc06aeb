import EventLoop
import HistoryObservation
import HistoryTestSupport
import Testing

/// How long a reader of rows is waited for, and what becomes of the rest.
@Suite("Snapshot spool")
struct SnapshotSpoolTests {
  private struct Gone: Error {}

  private let clock = ManualLoopClock()
  private let executor: LoopExecutor

  init() throws { executor = try LoopExecutor.onOwnThread(name: "reader") }

  /// Puts pages of one byte for a reader who takes a while for each, or is late; returns those that he
  /// was offered, and those that were kept.
  private func put(
    _ count: UInt8, each pause: Duration, late: SnapshotSpool.Offer
  ) async throws -> (offered: [UInt8], kept: [UInt8]) {
    let spool = SnapshotSpool(clock: clock)
    var offered: [UInt8] = []
    for page in 0..<count {
      try await spool.put([page]) { page, limit in
        offered += page
        await clock.advance(by: min(pause, limit), on: executor)
        return pause < limit ? .taken : late
      }
    }
    var kept: [UInt8] = []
    while case let bytes = try spool.next(), !bytes.isEmpty { kept += bytes }
    return (offered, kept)
  }

  @Test(
    "the reader is waited for for a tenth of a second in all, however he divides it",
    arguments: [1, 10, 30, 99, 100, 5000])
  func budget(milliseconds: Int) async throws {
    defer { executor.letGo() }
    let start = clock.now
    let (offered, kept) = try await put(200, each: .milliseconds(milliseconds), late: .underWay)
    #expect(clock.now - start <= .milliseconds(100))
    #expect(offered.count == (100 + milliseconds - 1) / milliseconds)
    #expect(offered + kept == Array(0..<200))
  }

  @Test("a page that the reader did not take is the first in the file")
  func refused() async throws {
    defer { executor.letGo() }
    let (offered, kept) = try await put(10, each: .milliseconds(40), late: .refused)
    #expect(offered == [0, 1, 2])
    #expect(kept == Array(2..<10))
  }

  @Test("a reader who takes everything at once gets nothing by the file")
  func quick() async throws {
    defer { executor.letGo() }
    let (offered, kept) = try await put(200, each: .zero, late: .refused)
    #expect(offered == Array(0..<200))
    #expect(kept.isEmpty)
  }

  @Test("what becomes of the reader is told")
  func gone() async {
    defer { executor.letGo() }
    let spool = SnapshotSpool(clock: clock)
    await #expect(throws: Gone.self) { try await spool.put([1]) { _, _ in throw Gone() } }
  }
}
