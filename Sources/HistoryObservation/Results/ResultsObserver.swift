import EventLoop
public import HistoryModel
public import Observation

/// Keeps the rows of a query current, whoever changes them.
///
/// ```swift
/// struct Item: Decodable, Sendable { var id: Int, title: String, done: Bool }
///
/// let items = try await ResultsObserver<Item>(
///   store: store, query: "SELECT * FROM tasks WHERE done = ? ORDER BY title", arguments: [0],
///   key: ["id"])
/// let observation = items.observe { difference in print(difference.inserted.count, "new") }
/// ```
///
/// The query runs again only after a commit that touched a table, a column or a row that it reads;
/// SQLite's authorizer tells which. Equal results are not announced. Results and ``token`` are of
/// one read transaction. Rows that are tied in the query's order, or have none, come in the order
/// of the key.
///
/// It is observable, and may be used from any actor and thread. A failure after the first results
/// is kept in ``error`` until the query succeeds again; the last good results stay. When another
/// store was moved over the file, or the history was dropped, it does not try again by itself;
/// ``fetch(query:arguments:)`` begins anew.
///
/// Rows are decoded on the store's loop, so what decodes them should not take its time. More is in
/// <doc:ResultsThatStayCurrent>.
///
/// It plays the part of SwiftData's `ResultsObserver`.
public final class ResultsObserver<Row: Sendable>: Observable, Sendable {
  /// The store that is observed.
  public let store: ObservedStore
  private let decode: @Sendable (StoredRow) throws -> Row
  private let registrar = ObservationRegistrar()
  private let lateReaders = LateReaders()
  private let state: Guarded<State>

  private struct State {
    var request: ResultsRequest
    /// The last good results; nil before the first.
    var update: ResultsUpdate?
    var token: HistoryToken?
    var results: [Row] = []
    var sections: [ResultsSection] = []
    var difference: ResultsDifference?
    var error: HistoryError?
    var mailboxes: [Mailbox<ResultsUpdate>] = []
  }

  /// Begins to observe a query, whatever its rows are made of.
  fileprivate init(
    store: ObservedStore, request: ResultsRequest,
    decode: @escaping @Sendable (StoredRow) throws -> Row
  ) async throws(HistoryError) {
    self.store = store
    self.decode = decode
    state = Guarded(State(request: request))
    try await store.hub.observe(request, for: self)
    if let error = state.withLock({ $0.error }) { throw error }
  }

  deinit {
    let hub = store.hub
    hub.executor.perform { hub.assumeIsolated { $0.forgetTheGone() } }
  }

  /// The rows.
  public var results: [Row] {
    read(\.results)
    return state.withLock { $0.results }
  }

  /// The sections of the rows; none where no column was named.
  ///
  /// A section is a run of rows with the same value in the column, so a query orders by it first.
  public var sections: [ResultsSection] {
    read(\.sections)
    return state.withLock { $0.sections }
  }

  /// What the last change of the results was; nil before the first.
  public var lastDifference: ResultsDifference? {
    read(\.lastDifference)
    return state.withLock { $0.difference }
  }

  /// Why the results are no longer kept current; nil while they are.
  public var error: HistoryError? {
    read(\.error)
    return state.withLock { $0.error }
  }

  /// The position at which the results are so; nil only before the first.
  ///
  /// It moves when the query runs. What was committed since did not matter to it, so it may lie
  /// before the head; ``waitUntil(_:)`` tells whether the results hold a commit.
  public var token: HistoryToken? {
    read(\.token)
    return state.withLock { $0.token }
  }

  /// The row at a place.
  ///
  /// - Parameter index: The place.
  /// - Returns: The row; nil where there is none, as after a removal that was not heard of yet.
  public func element(at index: Int) -> Row? {
    read(\.results)
    return state.withLock { $0.results.indices.contains(index) ? $0.results[index] : nil }
  }
}

extension ResultsObserver where Row: Decodable {
  /// Begins to observe a query whose rows are decoded.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - query: One statement that only reads, from tracked tables.
  ///   - arguments: The values of its parameters.
  ///   - key: The names of the columns by which rows are told apart; none where a row is its own
  ///     key, so that a changed one counts as removed and inserted.
  ///   - sectionBy: The name of the column that parts rows into sections.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `usage`, `statementFailed` or `notTracked`
  ///   where the query cannot be observed, and where a row cannot be decoded.
  /// - Complexity: That of the query, and O(*n*) for *n* bytes in its rows.
  public convenience init(
    store: ObservedStore, query: String, arguments: QueryArguments = QueryArguments(),
    key: [String] = [], sectionBy: String? = nil
  ) async throws(HistoryError) {
    let request = ResultsRequest(
      query: query, arguments: arguments, key: key, section: sectionBy)
    try await self.init(store: store, request: request) { try $0.decode(Row.self) }
  }
}

extension ResultsObserver where Row == StoredRow {
  /// Begins to observe a query whose rows stay as they are stored.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - query: One statement that only reads, from tracked tables.
  ///   - arguments: The values of its parameters.
  ///   - key: The names of the columns by which rows are told apart; none where a row is its own
  ///     key, so that a changed one counts as removed and inserted.
  ///   - sectionBy: The name of the column that parts rows into sections.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `usage`, `statementFailed` or `notTracked`
  ///   where the query cannot be observed.
  /// - Complexity: That of the query, and O(*n*) for *n* bytes in its rows.
  public convenience init(
    store: ObservedStore, query: String, arguments: QueryArguments = QueryArguments(),
    key: [String] = [], sectionBy: String? = nil
  ) async throws(HistoryError) {
    let request = ResultsRequest(
      query: query, arguments: arguments, key: key, section: sectionBy)
    try await self.init(store: store, request: request) { $0 }
  }
}

extension ResultsObserver {
  /// Observes another query in the place of the present one.
  ///
  /// The difference to the rows that there were is announced as any other. Of several calls at
  /// once the one that was made last counts, as where one is made for each key that is typed.
  ///
  /// - Parameters:
  ///   - query: One statement that only reads, from tracked tables; nil for the present one.
  ///   - arguments: The values of its parameters; nil for the present ones.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `usage`, `statementFailed` or `notTracked`
  ///   where it cannot be observed; the present one goes on.
  /// - Complexity: That of the query, and O(*n* log *n*) for *n* bytes in its rows.
  public func fetch(
    query: String? = nil, arguments: QueryArguments? = nil
  ) async throws(HistoryError) {
    var request = state.withLock { $0.request }
    if let query { request.query = query }
    if let arguments { request.arguments = arguments }
    let isLast = try await store.hub.observe(request, for: self)
    if isLast { state.withLock { $0.request = request } }
  }

  /// Waits until the results hold all that a position covers.
  ///
  /// - Parameter token: The position, such as the one that a writer in another process got.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `foreignToken`, or `historyTokenExpired`
  ///   when the store was restored to a state before it; and ``error`` where there is one.
  public func waitUntil(_ token: HistoryToken) async throws(HistoryError) {
    try await store.waitUntil(token)
    if let error = state.withLock({ $0.error }) { throw error }
  }

  /// Calls a body after each change of the results.
  ///
  /// Calls follow one another; what changes during one is told by the next, as one difference, so
  /// that each applies to the rows after the one before. The observation lives as long as its
  /// token, so keep that: one that is dropped ends it.
  ///
  /// - Parameter body: What to call, not on the store's loop, so it may take its time.
  /// - Returns: What keeps the observation going, and this observer too.
  public func observe(
    _ body: @escaping @Sendable (ResultsDifference) async -> Void
  ) -> ObservationToken {
    let mailbox = Mailbox<ResultsUpdate> { $0 = $1 }
    let rows = state.withLock { state in
      state.mailboxes.append(mailbox)
      return state.update?.rows ?? ResultRows()
    }
    Task.detached {
      var told = rows
      while let update = await mailbox.take() {
        let difference = ResultsDifference(from: told, to: update.rows, key: update.key)
        told = update.rows
        if !difference.isEmpty { await body(difference) }
      }
    }
    return ObservationToken { [self] in
      mailbox.close()
      state.withLock { $0.mailboxes.removeAll { $0 === mailbox } }
    }
  }
}

extension ResultsObserver: ResultsReceiver {
  package func received(_ update: ResultsUpdate) -> Bool {
    let (old, results) = state.withLock { ($0.update?.rows ?? ResultRows(), $0.results) }
    let difference = ResultsDifference(from: old, to: update.rows, key: update.key)
    let next: [Row]
    do {
      next = try difference.applied(to: results, making: decode)
    } catch {
      failed(.undecodable(error), isFinal: false)
      return false
    }
    let mailboxes = state.withLock { state in
      // The first rows are no change of anything.
      if state.update != nil { state.difference = difference }
      state.update = update
      state.results = next
      state.sections = update.sections ?? []
      state.token = update.token
      state.error = nil
      return state.mailboxes
    }
    announceAll()
    announced()
    for mailbox in mailboxes { mailbox.put(update) }
    return true
  }

  package func unchanged(at token: HistoryToken) {
    let hadError = state.withLock { state in
      state.token = token
      return state.error.take() != nil
    }
    tell(\.token)
    if hadError { tell(\.error) }
    announced()
  }

  package func failed(_ error: HistoryError, isFinal: Bool) {
    state.withLock { $0.error = error }
    tell(\.error)
    announced()
  }

  /// What changed was told.
  private func announced() {
    if lateReaders.changed() { lateReaders.announce { [weak self] in self?.announceAll() } }
  }

  private func announceAll() {
    tell(\.results)
    tell(\.sections)
    tell(\.lastDifference)
    tell(\.token)
    tell(\.error)
  }

  /// Tells Observation of a change that has been made, so that whoever is woken reads what is new.
  private func tell<Value>(_ property: KeyPath<ResultsObserver, Value>) {
    registrar.willSet(self, keyPath: property)
    registrar.didSet(self, keyPath: property)
  }

  private func read<Value>(_ property: KeyPath<ResultsObserver, Value>) {
    registrar.access(self, keyPath: property)
    lateReaders.reading()
  }
}

extension HistoryError {
  /// What a type says of itself when it refuses a value may quote it, and stays in the cause.
  fileprivate static func undecodable(_ error: any Error) -> HistoryError {
    let why = (error as? DecodingError)?.place.map { ": column \($0)" } ?? ""
    return HistoryError(
      .statementFailed, "a row of the query cannot be decoded\(why)",
      hint: "make the type fit the columns, or give them names by AS", cause: error)
  }
}

extension DecodingError {
  /// The column that could not be decoded; nil where it was the row.
  fileprivate var place: String? {
    switch self {
    case .keyNotFound(let key, _): key.stringValue
    case .typeMismatch(_, let context), .valueNotFound(_, let context),
      .dataCorrupted(let context):
      context.codingPath.last?.stringValue
    @unknown default: nil
    }
  }
}
