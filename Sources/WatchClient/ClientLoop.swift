package import EventLoop
import HistoryModel

/// The loop that a client and its sequences share, ended with the last of them if it is their own.
package final class ClientLoop: Sendable {
  package let executor: LoopExecutor
  private let isOwn: Bool

  init(_ given: LoopExecutor?) throws(HistoryError) {
    isOwn = given == nil
    if let given {
      executor = given
      return
    }
    do throws(LoopError) {
      executor = try LoopExecutor.onOwnThread(name: "watch")
    } catch {
      throw HistoryError(
        .temporary, "there is no thread to watch on: \(error)",
        hint: "raise the limits of threads and of open files", cause: error)
    }
  }

  deinit {
    if isOwn { executor.letGo() }
  }
}
