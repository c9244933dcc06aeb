import HistoryModel
import HistoryObservation

extension KindDriver: HistoryListener {
  nonisolated func changed(_ summary: HistorySummary) {
    assumeIsolated { $0.perform($0.machine.changed(summary, now: $0.now)) }
  }

  nonisolated func passed(_ token: HistoryToken) {
    assumeIsolated { driver in
      driver.machine.passedOver(token)
      driver.keepInTime()
    }
  }

  nonisolated func failed(_ error: HistoryError) {
    assumeIsolated { $0.listenAgain() }
  }
}

extension KindDriver {
  /// How long after a failure to listen it is tried again.
  private static let pause = Duration.seconds(1)

  /// Listens to what follows all that was told; where that is not there any more, to what follows
  /// the present.
  ///
  /// - Parameter isAtStart: Whether the position was kept by another process. One of another store
  ///   is then a mistake; later it means that the store was replaced.
  /// - Throws: ``HistoryError`` when it cannot listen.
  func listen(isAtStart: Bool = false) async throws(HistoryError) {
    let hub = surroundings.store.hub
    while !isStopped {
      let loss: HistoryError
      do throws(HistoryError) {
        try await hub.listen(self, for: kind.interest, after: .after(machine.position))
        break
      } catch {
        guard error.lossReason != nil, !(isAtStart && error.code == .foreignToken) else {
          throw error
        }
        loss = error
      }
      let head = try await hub.usable(.now)
      guard !isStopped else { break }
      surroundings.tell(.positionLost(loss))
      perform(machine.positionLost(head, now: now))
    }
    if isStopped { leave() }
  }

  /// Listens to no more.
  func leave() {
    listenAlarm = nil
    surroundings.store.hub.assumeIsolated { $0.leave(self) }
  }

  /// Listens again after it was told that it cannot go on, until it works.
  private func listenAgain() {
    listenAlarm = nil
    guard !isStopped else { return }
    // With the preference it needs no thread of the pool, which would bring up others for good.
    Task(executorPreference: executor) { await self.tryToListen() }
  }

  private func tryToListen() async {
    do throws(HistoryError) {
      try await listen()
      if listenError.take() != nil { surroundings.tell(.listening) }
    } catch {
      guard !isStopped else { return }
      if listenError == nil { surroundings.tell(.deaf(error)) }
      listenError = error
      listenAlarm = alarm(after: Self.pause) { $0.listenAgain() }
    }
  }
}
