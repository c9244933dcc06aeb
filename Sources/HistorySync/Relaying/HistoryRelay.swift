package import HistoryModel
package import HistoryStore

/// Carries a store's history to a carrier: each transaction once, in order, whatever crashes.
///
/// It has no state of its own that would have to be kept: where to go on is what the carrier has. It
/// does one thing at a time, ``action``, so that whoever drives it can wait, connect and hear signals
/// in between. At most one message is on its way. Confined to whoever drives it.
package final class HistoryRelay {
  /// How it relays.
  package struct Options {
    /// Whether to begin anew, with the rows.
    package var beginsAnew = false
    /// How many bytes the body of a message has at most, if the carrier allows that.
    package var messageSize = 1 << 18
    /// How long history is kept after it was confirmed.
    package var grace = Duration.seconds(600)

    package init() {}
  }

  /// Why the carrier was lost last.
  package private(set) var lastLoss: HistoryError?
  /// How many messages were confirmed.
  package private(set) var messageCount = 0
  /// Whether the carrier still has the message that a new follower has to begin with.
  package private(set) var hasBeginning = true
  private let store: TrackedStore
  private var options: Options
  private var machine = RelayStateMachine()
  private var last: StoredMessage?
  private var reading: RelayReading?
  private var limit = 1 << 16
  private var confirmations: RelayConfirmations

  /// What a `hello` takes beside the lines of the first message.
  private static let greetingSize = 1 << 10

  /// Makes a relay.
  ///
  /// - Parameters:
  ///   - store: The store, whose history is only read.
  ///   - options: How it relays.
  package init(_ store: TrackedStore, _ options: Options = Options()) {
    self.store = store
    self.options = options
    confirmations = RelayConfirmations(grace: options.grace)
  }

  /// What to do next.
  package var action: RelayStateMachine.Action { machine.action }

  /// What the page that last came to the head saw of the store.
  package var versionAtHead: StoreVersion? { reading?.versionAtHead }

  /// A connection stands.
  package func connected(to carrier: some RelayCarrier) {
    limit = max(1 << 10, min(options.messageSize, carrier.bodyLimit - Self.greetingSize))
    machine.connected()
  }

  /// No connection is to be had.
  package func lost(_ error: HistoryError) {
    lastLoss = error
    machine.lost()
  }

  /// There may be more to read.
  package func woke() { machine.woke() }

  /// Asks the carrier for the last message.
  ///
  /// - Parameters:
  ///   - carrier: The carrier.
  ///   - now: The moment, on the clock of ``takeConfirmed(now:)``.
  /// - Throws: ``/HistoryModel/HistoryError`` when asking again will not help.
  package nonisolated(nonsending) func anchor(
    _ carrier: any RelayCarrier, now: Duration
  ) async throws(HistoryError) {
    do throws(RelayFailure) {
      last = try await carrier.lastStored()
      // Of a run of messages the oldest go first, if a limit of the carrier's drops any.
      let oldest = try await carrier.oldest()
      hasBeginning = oldest.map { $0.isFirst || $0.base != last?.base } ?? true
    } catch {
      return try take(error)
    }
    reading = nil
    let end = last?.message.to.position
    confirmations.anchored(at: end?.token)
    if let last, let end { confirmations.confirmed(end.token, since: now - last.age) }
    machine.anchored(at: last?.sequence ?? 0)
  }

  /// Reads the store, up to a message.
  ///
  /// - Throws: ``/HistoryModel/HistoryError`` with code `temporary` when it is to be tried again, and
  ///   `historyTokenExpired` when the store cannot go on after the last message.
  package func read() throws(HistoryError) {
    let reading = if let reading { reading } else { try begin() }
    self.reading = reading
    switch try reading.step() {
    case .message(let message): machine.read(message)
    case .more: break
    case .head: machine.cameToHead()
    }
  }

  private func begin() throws(HistoryError) -> RelayReading {
    let state = try store.state()
    if options.beginsAnew { return try RelayReading(store, .reset, state, limit: limit) }
    guard let last else {
      let reachesBack = state.oldest.sequence == 0
      return try RelayReading(store, reachesBack ? .new : .snapshot, state, limit: limit)
    }
    guard let position = last.message.to.position else {
      // Whose rows these are is over; the ones to come are others.
      let beginning: RelayBeginning = last.message.beginning == .reset ? .reset : .snapshot
      return try RelayReading(store, beginning, state, limit: limit)
    }
    if case .expired(_, let reason) = try store.resolve(.after(position.token)).position {
      throw .relayExpired(reason)
    }
    return RelayReading(
      store, at: position, last.message.beginning, base: last.base, limit: limit)
  }

  /// Appends the message that was read.
  ///
  /// - Parameters:
  ///   - carrier: The carrier.
  ///   - now: The moment, on the clock of ``takeConfirmed(now:)``.
  /// - Returns: Whether it was stored.
  /// - Throws: ``/HistoryModel/HistoryError`` when trying again will not help.
  package nonisolated(nonsending) func append(
    to carrier: any RelayCarrier, now: Duration
  ) async throws(HistoryError) -> Bool {
    guard case .append(let message, let previous) = machine.action else { return false }
    let sequence: UInt64
    do throws(RelayFailure) {
      sequence = try await carrier.append(message, expecting: previous)
    } catch {
      try take(error)
      return false
    }
    messageCount += 1
    options.beginsAnew = false
    if reading?.base == nil { reading?.base = previous }
    machine.stored(at: sequence)
    if let end = message.to.position { confirmations.confirmed(end.token, since: now) }
    return true
  }

  /// Takes out the position up to which history need not be kept for the carrier any more.
  ///
  /// - Parameter now: The moment.
  /// - Returns: nil when there is no later one than the last time.
  package func takeConfirmed(now: Duration) -> HistoryToken? { confirmations.due(now: now) }

  /// When there may be such a position.
  package var nextConfirmation: Duration? { confirmations.next }

  private func take(_ failure: RelayFailure) throws(HistoryError) {
    switch failure {
    case .refused: machine.refused()
    case .lost(let error): lost(error)
    case .failed(let error): throw error
    }
  }
}
