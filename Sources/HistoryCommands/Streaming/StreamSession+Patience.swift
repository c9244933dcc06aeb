import EventLoop
import HistoryModel
import HistoryObservation
import HistoryStore

extension StreamSession {
  /// Reads from the store, and waits while another process has it locked, which happens in
  /// rollback journal modes and while somebody has it for himself, or until what a crashed writer
  /// left was undone, which who only reads may not do.
  ///
  /// A stream that follows also gives way to writers. One that does not follow has waited long
  /// enough when SQLite gives up.
  func patiently<T>(
    _ program: isolated Program, _ body: () throws(HistoryError) -> T
  ) async throws(HistoryError) -> T {
    let start = ContinuousClock.now
    var hasSaid = false
    while true {
      await giveWay(program)
      let failure: HistoryError
      do throws(HistoryError) {
        return try body()
      } catch {
        guard request.isFollowing, ending == nil, error.passesByItself else { throw error }
        failure = error
      }
      if !hasSaid, start.duration(to: .now) >= .seconds(1) {
        hasSaid = true
        await program.note("historywatch: \(failure.message); waiting")
      }
      _ = await gate.wait(for: .milliseconds(hasSaid ? 50 : 5))
      if let token = covered ?? reader?.token, pace.due(token, now: now).contains(.timeOut) {
        end(.timeout, .timeout)
      }
    }
  }

  /// Waits while somebody writes with a rollback journal, whose commit a read would make fail, but
  /// not for long.
  private func giveWay(_ program: isolated Program) async {
    while request.isFollowing, ending == nil,
      givingWay.found(isWriting: store.hasWriter, now: now) == .wait
    {
      _ = await gate.wait(for: .milliseconds(1))
    }
  }
}
