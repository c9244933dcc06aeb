import EventLoop
import HistoryModel
import HistoryObservation

extension ClientConnection {
  /// Keeps a subscription until its run has ended.
  ///
  /// - Parameters:
  ///   - subscription: The subscription.
  ///   - name: Its name, which is free.
  ///   - run: Runs it to the end.
  func keep(
    _ subscription: any Subscription, as name: String, _ run: @escaping @Sendable () async -> Void
  ) {
    subscriptions[name] = subscription
    Task(executorPreference: executor) {
      await run()
      await self.forget(subscription, name)
    }
  }

  private func forget(_ subscription: any Subscription, _ name: String) {
    if subscriptions[name] === subscription { subscriptions[name] = nil }
    if !isHeldUp { quiet.take()?.resume() }
  }

  /// Refuses a name that is taken, and one subscription too many.
  func check(_ name: String) throws(HistoryError) {
    guard subscriptions[name] == nil else {
      throw HistoryError(
        .usage, "this connection has a subscription of that name",
        hint: "choose another name, or unsubscribe first")
    }
    guard subscriptions.count < Self.limit else {
      throw HistoryError(
        .usage, "a connection has at most \(Self.limit) subscriptions",
        hint: "unsubscribe from one, or connect again")
    }
  }

  /// Ends a subscription.
  ///
  /// - Returns: The position up to which everything was sent.
  func unsubscribe(_ name: String) throws(HistoryError) -> HistoryToken? {
    guard let subscription = subscriptions.removeValue(forKey: name) else {
      throw HistoryError(
        .usage, "this connection has no subscription of that name",
        hint: "a subscription that has sent its bye is gone by itself")
    }
    return subscription.assumeIsolated {
      $0.end(nil)
      return $0.token
    }
  }

  /// Runs something that answers later.
  func later(_ body: @escaping @Sendable () async -> Void) throws(HistoryError) {
    guard waits.count < Self.limit else {
      throw HistoryError(
        .usage, "a connection waits for at most \(Self.limit) tokens at once",
        hint: "wait for the newest one: it covers the others")
    }
    lastWait += 1
    let number = lastWait
    waits[number] = Task(executorPreference: executor) {
      await body()
      await self.hasWaited(number)
    }
  }

  private func hasWaited(_ number: Int) {
    waits[number] = nil
    if !isHeldUp { quiet.take()?.resume() }
  }
}
