package import HistoryModel

extension StoreHub {
  /// Keeps the rows of a query current.
  ///
  /// The receiver has got the first rows when this returns, and gets others as long as it lives.
  ///
  /// - Parameters:
  ///   - request: The query.
  ///   - receiver: Who gets its rows; what he got before ends. He is not kept.
  /// - Returns: Whether it stays: not where he asked for another one meanwhile.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `usage`, `statementFailed` or `notTracked`
  ///   where the query cannot be observed.
  @discardableResult
  package func observe(
    _ request: ResultsRequest, for receiver: any ResultsReceiver
  ) async throws(HistoryError) -> Bool {
    arriving += 1
    defer { hasArrived() }
    lastRequest += 1
    let number = lastRequest
    try await beginFollowing()
    let follower = try await current()
    let feed = try await follower.patiently { () throws(HistoryError) in
      if let dismissal { throw dismissal }
      let feed = try ResultsFeed(
        request, to: receiver, on: follower.store, counting: feedCounts, number: number)
      // There before it reads, it misses nothing that is committed afterwards.
      feeds.append(feed)
      return feed
    }
    do throws(HistoryError) {
      try await follower.patiently { () throws(HistoryError) in
        try feed.begin(among: otherFeeds(than: feed, for: receiver))
      }
    } catch {
      feeds.removeAll { $0 === feed }
      throw error
    }
    defer { feeds.removeAll(where: \.isGone) }
    return !feed.isGone
  }

  private func otherFeeds(
    than feed: ResultsFeed, for receiver: any ResultsReceiver
  ) -> [ResultsFeed] {
    feeds.compactMap { $0 as? ResultsFeed }.filter { $0 !== feed && $0.isFor(receiver) }
  }

  /// How many queries are kept current, or were and have not been noticed to be gone.
  package var feedCount: Int { feeds.count }

  /// How often queries ran, and how often they did not have to.
  package var queryRuns: (runs: Int, avoided: Int) { (feedCounts.runs, feedCounts.avoided) }
}
