import EventLoop
import Testing

@testable import HistoryObservation

@Suite("Mailbox", .timeLimit(.minutes(1)))
struct MailboxTests {
  @Test("what comes while nobody takes is one value")
  func merging() async {
    let mailbox = Mailbox<[Int]> { $0 += $1 }
    for number in 1...3 { mailbox.put([number]) }
    #expect(await mailbox.take() == [1, 2, 3])
    mailbox.put([4])
    mailbox.discard()
    mailbox.put([5])
    #expect(await mailbox.take() == [5])
  }

  @Test("once it is closed nothing comes out, not even what was on its way to the taker")
  func closed() throws {
    let executor = try LoopExecutor()
    let mailbox = Mailbox<Int> { $1 > $0 ? $0 = $1 : () }
    let isWaiting = Guarded(false)
    let taken = executor.runUntilComplete {
      let taker = Task(executorPreference: executor) {
        isWaiting.withLock { $0 = true }
        return await mailbox.take()
      }
      while !isWaiting.withLock({ $0 }) { await Task.yield() }
      // One more turn, in which the taker comes to its waiting.
      await Task.yield()
      // The taker is woken by the first and runs once this has let go of the loop.
      mailbox.put(7)
      mailbox.close()
      return await taker.value
    }
    #expect(taken == nil)
  }
}
