import EventLoop
public import HistoryModel
public import HistoryStore
public import Observation

/// Counts the batches of transactions that matter to somebody, whoever committed them.
///
/// ```swift
/// let observer = try await HistoryObserver(
///   store: store, observedTables: ["tasks"], excludingAuthors: ["widget"])
/// let observation = observer.observe { summary in
///   print("\(summary.changes) changes of \(summary.tables)")
/// }
/// ```
///
/// It is observable: ``eventCounter``, ``currentToken`` and ``error`` may be read inside
/// `withObservationTracking` and `Observations`. It may be used from any actor and thread.
///
/// When its position cannot be used any more, because the history was trimmed, restored or
/// replaced, it says so by ``error`` and counts no further until
/// ``resynchronize(_:)`` has read the store anew.
///
/// It plays the part of SwiftData's `HistoryObserver`.
public final class HistoryObserver: Observable, Sendable {
  /// The store that is observed.
  public let store: ObservedStore
  /// Which changes count.
  public let interest: ChangeInterest
  private let registrar = ObservationRegistrar()
  private let lateReaders = LateReaders()
  private let state: Guarded<State>

  private struct State {
    var start: HistoryToken
    var currentToken: HistoryToken
    var eventCounter = 0
    var error: HistoryError?
    var mailboxes: [Mailbox<HistorySummary>] = []
    /// What came while nobody was told, for the first who is.
    var untold: HistorySummary?
  }

  /// Begins to observe a store.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - position: Where to begin. What has been committed since counts as one batch.
  ///   - observedTables: The tables that matter; none for all.
  ///   - authors: The authors that matter; none for all. Nil stands for untagged transactions.
  ///   - excludingAuthors: Authors whose transactions do not count, such as one's own.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `historyTokenExpired`, which names the
  ///   oldest position that is left, or `foreignToken`.
  /// - Complexity: O(log *h* + *n*) for *n* rows of history after the position out of *h* kept.
  public convenience init(
    store: ObservedStore, after position: HistoryPosition = .now, observedTables: [String] = [],
    authors: Set<String?> = [], excludingAuthors: Set<String?> = []
  ) async throws(HistoryError) {
    let filter = ChangeFilter(
      tables: observedTables, authors: authors, excludedAuthors: excludingAuthors)
    try await self.init(store: store, after: position, interest: ChangeInterest(filter))
  }

  /// Begins to observe a store.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - position: Where to begin.
  ///   - interest: Which changes count, down to columns and a row.
  /// - Throws: As the other initializer does.
  public init(
    store: ObservedStore, after position: HistoryPosition = .now, interest: ChangeInterest
  ) async throws(HistoryError) {
    self.store = store
    self.interest = interest
    let token = try await store.hub.usable(position)
    state = Guarded(State(start: token, currentToken: token))
    try await store.hub.listen(self, for: interest, after: .after(token))
  }

  deinit {
    // By now the hub's reference to it is nil.
    let hub = store.hub
    hub.executor.perform { hub.assumeIsolated { $0.forgetTheGone() } }
  }

  /// How many batches of matching transactions were noticed since it began.
  ///
  /// A batch is what one look at the store found: at least one transaction, or that changes of a
  /// table may escape capture.
  public var eventCounter: Int {
    read(\.eventCounter)
    return state.withLock { $0.eventCounter }
  }

  /// The position up to which everything that matters was counted.
  public var currentToken: HistoryToken {
    read(\.currentToken)
    return state.withLock { $0.currentToken }
  }

  /// Why it counts no further; nil while it does.
  public var error: HistoryError? {
    read(\.error)
    return state.withLock { $0.error }
  }

  /// The matching transactions, whole, from where the observer began or was last resynchronized.
  ///
  /// They are read when they are asked for, so nothing queues up.
  public var transactions: HistoryTransactions {
    let start = state.withLock { $0.start }
    return HistoryTransactions(store, after: start, filter: interest.filter)
  }
}

extension HistoryObserver {
  /// Calls a body after each batch of matching transactions.
  ///
  /// Calls follow one another; what comes during one is told by the next, as one summary. The first
  /// tells what was counted while nobody observed, from where the observer began. The observation lives as long as its token, so keep that: one that is dropped ends it.
  ///
  /// - Parameter body: What to call, not on the store's loop, so it may take its time.
  /// - Returns: What keeps the observation going, and this observer too.
  public func observe(
    _ body: @escaping @Sendable (HistorySummary) async -> Void
  ) -> ObservationToken {
    let mailbox = Mailbox<HistorySummary> { $0.merge($1) }
    state.withLock { state in
      state.mailboxes.append(mailbox)
      if let untold = state.untold.take() { mailbox.put(untold) }
    }
    Task.detached {
      while let summary = await mailbox.take() { await body(summary) }
    }
    return ObservationToken { [self] in
      mailbox.close()
      state.withLock { $0.mailboxes.removeAll { $0 === mailbox } }
    }
  }

  /// Waits until all that a position covers was counted.
  ///
  /// - Parameter token: The position, such as the one that a writer in another process got.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `foreignToken`, or `historyTokenExpired`
  ///   when the store was restored to a state before it; and ``error`` where there is one.
  public func waitUntil(_ token: HistoryToken) async throws(HistoryError) {
    try await store.waitUntil(token)
    if let error = state.withLock({ $0.error }) { throw error }
  }

  /// Reads the store anew, and goes on from exactly there.
  ///
  /// Rows and position are of one read transaction: what the body read and what is counted
  /// afterwards have neither a gap nor an overlap.
  ///
  /// - Parameter body: Reads what it wants, on the store's loop, without staying long.
  /// - Returns: What the body returned.
  /// - Throws: ``/HistoryModel/HistoryError`` when the store cannot be read, and whatever the body
  ///   throws; the observer is then as it was. Where the position that was read cannot be used any
  ///   more already, ``error`` says so too.
  /// - Complexity: That of the body, and O(log *h*) for *h* rows of history.
  @discardableResult
  public func resynchronize<T: Sendable>(
    _ body: @escaping @Sendable (ReadView) throws -> T
  ) async throws -> T {
    let (result, token) = try await store.hub.takeOut(self) { view in
      (try body(view), view.token)
    }
    state.withLock { state in
      state.start = token
      state.currentToken = token
      state.error = nil
      state.untold = nil
      for mailbox in state.mailboxes { mailbox.discard() }
    }
    tell(\.currentToken)
    tell(\.error)
    announced()
    do {
      try await store.hub.listen(self, for: interest, after: .after(token))
    } catch {
      failed(error)
      throw error
    }
    return result
  }
}

extension HistoryObserver: HistoryListener {
  package func changed(_ summary: HistorySummary) {
    let mailboxes = state.withLock { state in
      state.eventCounter += 1
      state.currentToken = summary.until
      if state.mailboxes.isEmpty {
        if state.untold == nil { state.untold = summary } else { state.untold?.merge(summary) }
      }
      return state.mailboxes
    }
    tell(\.currentToken)
    tell(\.eventCounter)
    announced()
    for mailbox in mailboxes { mailbox.put(summary) }
  }

  package func passed(_ token: HistoryToken) {
    let isNew = state.withLock { state in
      defer { state.currentToken = token }
      return state.currentToken != token
    }
    guard isNew else { return }
    tell(\.currentToken)
    announced()
  }

  package func failed(_ error: HistoryError) {
    state.withLock { $0.error = error }
    tell(\.error)
    announced()
  }

  /// What changed was told.
  private func announced() {
    if lateReaders.changed() { lateReaders.announce { [weak self] in self?.announceAll() } }
  }

  private func announceAll() {
    tell(\.eventCounter)
    tell(\.currentToken)
    tell(\.error)
  }

  /// Tells Observation of a change that has been made.
  ///
  /// Not before it is made, as is usual where one thread does everything: whoever is woken runs on
  /// another, and would read the old value and wait for the next change.
  private func tell<Value>(_ property: KeyPath<HistoryObserver, Value>) {
    registrar.willSet(self, keyPath: property)
    registrar.didSet(self, keyPath: property)
  }

  private func read<Value>(_ property: KeyPath<HistoryObserver, Value>) {
    registrar.access(self, keyPath: property)
    lateReaders.reading()
  }
}
