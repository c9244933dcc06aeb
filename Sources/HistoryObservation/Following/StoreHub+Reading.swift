import EventLoop
package import HistoryModel
package import HistoryStore

extension StoreHub {
  /// How many bytes of transactions one page has, about.
  private static let pageSize = 1 << 18

  /// Reads from the store at one position, and lets a listener go at the same moment.
  ///
  /// He was told of nothing that is after the position; when reading fails he stays.
  package func takeOut<T: Sendable>(
    _ listener: any HistoryListener, _ body: @Sendable (ReadView) throws -> T
  ) async throws -> T {
    try await read(body) { self.leave(listener) }
  }

  /// Reads from the store at one position.
  ///
  /// - Parameters:
  ///   - body: Reads.
  ///   - whenRead: Called at the same moment, when the body has returned.
  /// - Returns: What the body returned.
  /// - Throws: What it threw, and `HistoryError` when the store cannot be read.
  func read<T: Sendable>(
    _ body: @Sendable (ReadView) throws -> T, whenRead: () -> Void = {}
  ) async throws -> T {
    let follower = try await current()
    let result = try await follower.patiently { () throws(HistoryError) -> Result<T, any Error> in
      do {
        let value = try follower.store.read(body)
        whenRead()
        return .success(value)
      } catch let error as HistoryError where error.passesByItself {
        throw error
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// The state of the store.
  package func storeState() async throws(HistoryError) -> StoreState {
    let follower = try await current()
    return try await follower.patiently { () throws(HistoryError) in try follower.store.state() }
  }

  /// Waits until everybody who observes was told what a position covers.
  package func waitUntil(_ token: HistoryToken) async throws(HistoryError) {
    do throws(HistoryError) {
      // Whoever has a token has it from a commit, which can be seen by now.
      _ = try await usable(.after(token))
    } catch {
      guard error.expiryReason == .trimmed else { throw error }
    }
    try await catchUp()
  }

  /// Tells everybody who observes what has been committed by now.
  func tellEverything() async throws(HistoryError) {
    // A writer follows the path at once, the watch a moment later.
    _ = try await current()
    try await catchUp()
  }

  /// Reads a page of transactions.
  func fetch(_ descriptor: HistoryDescriptor) async throws(HistoryError) -> HistoryPage {
    let start = try await usable(descriptor.after)
    return try await page(
      after: start, filter: descriptor.filter, size: .max, limit: descriptor.limit ?? .max)
  }

  /// Returns the next transactions, and waits for some where there are none.
  ///
  /// - Parameters:
  ///   - token: Where the caller stands.
  ///   - isContinued: Whether he came there by reading from the store. A position of another store
  ///     then means that this one was replaced.
  ///   - filter: What he wants.
  /// - Returns: At least one transaction and where he stands after them; nil when his task was
  ///   cancelled.
  /// - Throws: `HistoryError` when what follows the position can no longer be read.
  func transactions(
    after token: HistoryToken, isContinued: Bool, filter: ChangeFilter
  ) async throws(HistoryError) -> HistoryPage? {
    arriving += 1
    hasReaders = true
    defer { hasArrived() }
    var position = token
    while !Task.isCancelled {
      try await beginFollowing()
      // Nothing follows what everybody was told, and that it still stands is seen by the next read.
      if let batch = lastBatch, batch.until == told, let wanted = batch.wanted(filter, at: position)
      {
        if !wanted.isEmpty {
          return HistoryPage(transactions: wanted, token: batch.until, hasMore: false)
        }
        position = batch.until
      } else if position != told {
        let start: HistoryToken
        do throws(HistoryError) {
          start = try await usable(.after(position))
        } catch {
          guard isContinued, let reason = error.lossReason else { throw error }
          throw .historyTokenExpired(oldest: try? await storeState().oldest, reason: reason)
        }
        let page = try await page(after: start, filter: filter, size: Self.pageSize, limit: .max)
        if !page.transactions.isEmpty { return page }
        position = page.token
      }
      switch await wait(at: position, filter) {
      case .transactions(let transactions, let token):
        return HistoryPage(transactions: transactions, token: token, hasMore: false)
      case .readOn(let token):
        position = token
        // Others are further on, or on their way.
        try await catchUp()
      case .end: return nil
      case .failed(let error): throw error
      }
    }
    return nil
  }

  private func wait(
    at position: HistoryToken, _ filter: ChangeFilter
  ) async -> TransactionWaiter.Answer {
    lastWaiter += 1
    let number = lastWaiter
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard !isEnding, !Task.isCancelled else { return continuation.resume(returning: .end) }
        // Looked at only here: each await before it let others read on.
        guard let told, !isBetweenPages, hasAllTold(position) else {
          return continuation.resume(returning: .readOn(position))
        }
        if waiters.isEmpty { collector = BatchCollector(since: told) }
        waiters[number] = TransactionWaiter(filter, at: position, continuation)
      }
    } onCancel: {
      executor.perform { [self] in
        assumeIsolated { hub in
          hub.waiters.removeValue(forKey: number)?.continuation.resume(returning: .end)
          if !hub.isNeeded { hub.nudge() }
        }
      }
    }
  }

  /// Whether whoever has read up to a position has all that everybody was told.
  ///
  /// Equal numbers are not enough: after a restore other rows get them.
  func hasAllTold(_ position: HistoryToken) -> Bool {
    guard let told else { return false }
    return told == position
      || told.storeIdentifier == position.storeIdentifier && told.sequence < position.sequence
  }

  /// Reads whole transactions.
  private func page(
    after token: HistoryToken, filter: ChangeFilter, size: Int, limit: Int
  ) async throws(HistoryError) -> HistoryPage {
    let follower = try follower()
    guard limit > 0 else { return HistoryPage(transactions: [], token: token, hasMore: true) }
    let reader: HistoryReader
    if let paused = pausedReaders.take(follower.store, after: token, filter: filter) {
      reader = paused
    } else {
      reader = try HistoryReader(follower.store, after: token, filter: filter)
    }
    var collector = TransactionCollector()
    var state = ReadingState.more
    while state == .more, !collector.isEnough(size: size, limit: limit) {
      state = try await step(reader, follower) { () throws(HistoryError) in
        let start = ContinuousClock.now
        var items = 0
        return try reader.collect(into: &collector) { collector in
          items += 1
          return collector.isEnough(size: size, limit: limit)
            || isTimeToPause(items, since: start, follower)
        }
      }
    }
    if state == .more { pausedReaders.keep(reader) }
    return HistoryPage(
      transactions: collector.transactions(), token: reader.token, hasMore: state == .more)
  }

  /// Reads to the end of what a reader was made for.
  func readToEnd(
    _ reader: HistoryReader, _ take: (HistoryItem) -> Void
  ) async throws(HistoryError) {
    let follower = try follower()
    var state = ReadingState.more
    while state == .more {
      state = try await step(reader, follower) { () throws(HistoryError) in
        let start = ContinuousClock.now
        var items = 0
        return try reader.read { item in
          take(item)
          items += 1
          return isTimeToPause(items, since: start, follower) ? .pause : .goOn
        }
      }
    }
  }

  /// Whether others should have their turn: on the loop, or writers with a rollback journal.
  func isTimeToPause(
    _ items: Int, since start: ContinuousClock.Instant, _ follower: StoreFollower
  ) -> Bool {
    items % 16 == 0
      && (follower.mustGiveWay
        || items % 256 == 0 && start.duration(to: .now) >= .milliseconds(5))
  }

  /// Takes one step of a long reading, and lets others on the loop have their turn.
  private func step(
    _ reader: HistoryReader, _ follower: StoreFollower,
    _ body: () throws(HistoryError) -> ReadingState
  ) async throws(HistoryError) -> ReadingState {
    let state = try await follower.patiently(body)
    switch state {
    case .more: try? await LoopTimer.sleep(for: .zero, on: executor)
    case .expired(let reason):
      let oldest = try? follower.store.state().oldest
      throw .historyTokenExpired(oldest: oldest, reason: reason)
    case .atHead, .atEnd: break
    }
    return state
  }
}

extension TransactionCollector {
  /// Whether a page has as much as it should, and ends with a whole transaction.
  fileprivate func isEnough(size wanted: Int, limit: Int) -> Bool {
    isWhole && (count >= limit || (count > 0 && size >= wanted))
  }
}
