import HistoryModel
import HistoryTestSupport
import Testing

@testable import HistoryObservation

/// What somebody who waits is woken with.
@Suite("A transaction waiter")
struct TransactionWaiterTests {
  private static let store = StoreIdentifier(bytes: Array(repeating: 7, count: 16)[...])

  private func token(_ sequence: Int64, check: UInt64 = 1, epoch: UInt32 = 1) throws -> HistoryToken
  {
    HistoryToken(
      storeIdentifier: try #require(Self.store), epoch: epoch, sequence: sequence, check: check)
  }

  /// What a batch from row 10 to row 20 wakes somebody with who stands somewhere.
  private func answer(
    at position: HistoryToken, keeping isKept: Bool = true
  ) async throws -> (woken: TransactionWaiter.Answer?, position: HistoryToken) {
    let batch = HistoryBatch(
      since: try token(10), until: try token(20), transactions: isKept ? [] : nil)
    var woken: TransactionWaiter.Answer?
    var reached = position
    _ = await withCheckedContinuation { continuation in
      var waiter = TransactionWaiter(ChangeFilter(), at: position, continuation)
      woken = waiter.take(batch)
      reached = waiter.position
      continuation.resume(returning: .end)
    }
    return (woken, reached)
  }

  @Test("who stands where the batch begins passes over what does not match")
  func passingOver() async throws {
    let (woken, position) = try await answer(at: token(10))
    #expect(woken == nil)
    #expect(try position == token(20))
  }

  @Test("who has read it all by himself waits on")
  func readAlready() async throws {
    let (woken, position) = try await answer(at: token(20))
    #expect(woken == nil)
    #expect(try position == token(20))
  }

  @Test(
    "who stands anywhere else, also where other rows have got his numbers, reads by himself",
    arguments: [
      (10, 2, 1), (15, 1, 1), (20, 2, 1), (25, 1, 1), (20, 1, 2), (10, 1, 2),
    ] as [(Int64, UInt64, UInt32)])
  func elsewhere(sequence: Int64, check: UInt64, epoch: UInt32) async throws {
    let place = try token(sequence, check: check, epoch: epoch)
    let (woken, position) = try await answer(at: place)
    guard case .readOn(let start)? = woken else {
      Issue.record("he was not woken to read on")
      return
    }
    #expect(start == place)
    #expect(position == place)
  }

  @Test("of more than is kept each reads by himself")
  func tooMuch() async throws {
    let (woken, _) = try await answer(at: token(10), keeping: false)
    guard case .readOn? = woken else {
      Issue.record("he was not woken to read on")
      return
    }
  }
}
