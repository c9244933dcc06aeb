import EventLoop
package import HistoryModel
package import HistoryStore

extension StoreHub {
  /// What becomes of a position, and both ends of the history.
  ///
  /// - Parameter position: The position.
  /// - Returns: Whether it can be read from, and the state at the same moment.
  /// - Throws: ``HistoryModel/HistoryError`` with code `foreignToken`, or when the store cannot be
  ///   read.
  package func resolve(
    _ position: HistoryPosition
  ) async throws(HistoryError) -> (position: ResolvedPosition, state: StoreState) {
    let follower = try await current()
    return try await follower.patiently { () throws(HistoryError) in
      try follower.store.resolve(position)
    }
  }

  /// Where a consumer of the store stands.
  ///
  /// - Parameter name: Its name.
  /// - Returns: The position.
  /// - Throws: ``HistoryModel/HistoryError`` with code `noSuchConsumer`.
  package func position(ofConsumer name: String) async throws(HistoryError) -> HistoryToken {
    let follower = try await current()
    return try await follower.patiently { () throws(HistoryError) in
      try Consumers(follower.store).position(of: name)
    }
  }

  /// What there is to say about the store.
  ///
  /// - Returns: A report of one moment or, where others write meanwhile, of a few.
  /// - Throws: ``HistoryModel/HistoryError`` when the store cannot be read.
  package func report() async throws(HistoryError) -> StoreReport {
    let follower = try await current()
    return try await follower.patiently { () throws(HistoryError) in
      try StoreReport(follower.store)
    }
  }

  /// A position from which to read what precedes another one.
  ///
  /// Whoever reads from there on gets lines that are divided as for a reader who began at the oldest.
  ///
  /// - Parameters:
  ///   - count: How many rows of history to go back, at least.
  ///   - end: The position, between two transactions.
  /// - Returns: The position; the oldest where there is no other.
  /// - Throws: ``HistoryModel/HistoryError`` when the store cannot be read.
  /// - Complexity: O(log *h* + *n*) for *n* rows of the transactions around it, out of *h* kept.
  package func boundary(
    rows count: Int64, before end: HistoryToken
  ) async throws(HistoryError) -> HistoryToken {
    let follower = try await current()
    return try await follower.patiently { () throws(HistoryError) in
      let store = follower.store
      return try max(
        store.state().oldest, store.boundary(notAfter: end.sequence - count, before: end))
    }
  }

  /// How many bytes of lines a page has, about.
  private static let pageSize = 1 << 16

  /// Begins to read lines from a position on.
  ///
  /// - Parameters:
  ///   - request: Which lines.
  ///   - token: The position, which must be usable.
  ///   - end: The position to end at, if any.
  /// - Returns: A number for ``readLines(_:)``, to be given back by ``closeLines(_:)``.
  /// - Throws: ``HistoryModel/HistoryError`` when the store cannot be read.
  package func openLines(
    _ request: LineRequest, after token: HistoryToken, until end: HistoryToken? = nil
  ) async throws(HistoryError) -> Int {
    let follower = try await current()
    let cursor = try await follower.patiently { () throws(HistoryError) in
      try LineCursor(follower.store, request, after: token, until: end)
    }
    lastRequest += 1
    cursors[lastRequest] = cursor
    return lastRequest
  }

  /// Reads the next page of lines.
  ///
  /// - Parameter number: What ``openLines(_:after:until:)`` returned.
  /// - Returns: The lines, whose last transaction may go on in the next page, and where the reader
  ///   stands.
  /// - Throws: ``HistoryModel/HistoryError`` with code `historyTokenExpired` when what follows cannot
  ///   be read any more.
  /// - Complexity: O(log *h* + *n*) for *n* rows read out of *h* kept.
  package func readLines(
    _ number: Int
  ) async throws(HistoryError) -> (page: LinePage, state: ReadingState) {
    let follower = try await current()
    guard var cursor = cursors[number] else { throw .observationEnded }
    if cursor.reader.store !== follower.store {
      // It is in another file now, where the transaction that it was in comes again.
      let position = try await usable(.after(cursor.reader.token))
      let end = cursor.reader.end
      cursor = try LineCursor(follower.store, cursor.request, after: position, until: end)
      cursors[number] = cursor
    }
    let state = try await follower.patiently { () throws(HistoryError) in
      let start = ContinuousClock.now
      var items = 0
      return try cursor.reader.read { item in
        cursor.collector.take(item, values: cursor.reader.values)
        items += 1
        return cursor.collector.size >= Self.pageSize
          || isTimeToPause(items, since: start, follower) ? .pause : .goOn
      }
    }
    if case .expired(let reason) = state {
      throw .historyTokenExpired(oldest: try? follower.store.state().oldest, reason: reason)
    }
    return (cursor.page(isAtHead: state != .more), state)
  }

  /// Reads no more.
  ///
  /// - Parameter number: What ``openLines(_:after:until:)`` returned.
  package func closeLines(_ number: Int) { cursors[number] = nil }

  /// Gives somebody who has read everything the lines of what is committed.
  ///
  /// - Parameters:
  ///   - receiver: Who. He is not kept.
  ///   - request: Which lines.
  ///   - position: Where he stands.
  /// - Returns: What is amiss with capture at the moment; nil if more was committed since, which he
  ///   has to read by himself first.
  /// - Throws: ``HistoryModel/HistoryError`` when his position cannot be used any more.
  package func join(
    _ receiver: any LineReceiver, _ request: LineRequest, at position: HistoryToken
  ) async throws(HistoryError) -> [CaptureNotice]? {
    arriving += 1
    defer { hasArrived() }
    try await beginFollowing()
    let generation = generation
    _ = try await usable(.after(position))
    let drift = try await driftNow()
    if moving != nil { try await catchUp() }
    // From here on there is no `await`: nothing comes between the look and the joining.
    if let dismissal { throw dismissal }
    guard generation == self.generation, moving == nil, let told, hasAllTold(position)
    else { return nil }
    leave(receiver)
    channel(for: request, since: told).add(receiver)
    return drift
  }

  private func channel(for request: LineRequest, since token: HistoryToken) -> LineChannel {
    for case let channel as LineChannel in feeds where channel.request == request {
      return channel
    }
    let channel = LineChannel(request, since: token, isIncomplete: isBetweenPages)
    feeds.append(channel)
    return channel
  }

  /// What others were handed after a position, as far as it is still at hand.
  ///
  /// - Parameters:
  ///   - request: Which lines.
  ///   - position: The position.
  /// - Returns: The lines; nil where there are none, or they have to be read.
  package func recentLines(_ request: LineRequest, after position: HistoryToken) -> LinePage? {
    guard moving == nil else { return nil }
    for case let channel as LineChannel in feeds where channel.request == request {
      return channel.page(after: position)
    }
    return nil
  }

  /// Gives somebody no more lines.
  ///
  /// - Parameter receiver: Who was given lines.
  package func leave(_ receiver: any LineReceiver) {
    for case let channel as LineChannel in feeds { channel.remove(receiver) }
    if !isNeeded { nudge() }
  }

  /// Gives nobody lines or rows any more, also not those who are on their way.
  ///
  /// - Parameter error: What they are told.
  package func dismiss(_ error: HistoryError) {
    dismissal = error
    let leaving = feeds
    feeds = []
    for feed in leaving { feed.closed(error) }
  }

  /// What is amiss with capture, as far as it has no position yet.
  private func driftNow() async throws(HistoryError) -> [CaptureNotice] {
    if let toldSchema { return Array(toldSchema.notices) }
    let follower = try await current()
    return try await follower.patiently { () throws(HistoryError) in
      try follower.store.tables(isThorough: false).flatMap(\.notices)
    }
  }
}
