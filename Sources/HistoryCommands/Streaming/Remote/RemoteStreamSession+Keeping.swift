import EventLoop
import HistoryModel
import HistoryObservation
import WatchClient

extension RemoteStreamSession {
  /// How long the end waits for the server to keep the position.
  private static let patience = Duration.seconds(5)

  /// Keeps the position of what the output took, or does so when it is time to.
  func keepWhenDue() {
    guard let covered, keeping.isUnkept(covered) else { return }
    guard keeping.due(covered, now: now).contains(.keep) else { return scheduleKeeping() }
    keep(covered)
  }

  /// Tries to keep the position when it is time to.
  func scheduleKeeping() {
    guard let covered, let delay = keeping.wait(covered, now: now) else { return }
    keepTimer.start(after: delay) { [weak self] in self?.keepWhenDue() }
  }

  private func keep(_ token: HistoryToken) {
    if let consumer = options.consumer {
      keeping.triedToKeep(token, isKept: false, now: now)
      // The answer comes between the lines; without a connection it is asked for after the next.
      _ = connection?.send([options.acknowledgement(of: token, by: consumer)])
      return
    }
    do throws(HistoryError) {
      guard let keeper else { return }
      let isKept = try keeper.save(token)
      keeping.triedToKeep(token, isKept: isKept, now: now)
    } catch {
      keepingFailed(error)
    }
  }

  /// Keeps the position when there is nothing else to do.
  func keepAtEnd(_ token: HistoryToken, _ program: isolated Program) async throws(HistoryError) {
    if let keeper { return try keeper.saveAtEnd(token) }
    guard let consumer = options.consumer else { return }
    let client = try HistoryClient(socket: options.socket, on: program.executor)
    let task = Task(executorPreference: program.executor) { [database = options.database] in
      try await client.acknowledge(consumer: consumer, token: token, of: database)
    }
    // A server that does not answer must not keep the process.
    let timer = try? LoopTimer(on: program.executor)
    timer?.start(after: Self.patience) { task.cancel() }
    defer { timer?.stop() }
    do {
      try await task.value
    } catch {
      throw error as? HistoryError ?? HistoryError(.temporary, "\(error)")
    }
  }
}
