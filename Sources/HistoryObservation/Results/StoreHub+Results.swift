package import HistoryModel

extension StoreHub {
  /// Keeps the rows of a query current.
  ///
  /// The receiver has got the first rows when this returns, and gets others as long as it lives.
  ///
  /// - Parameters:
  ///   - request: The query.
  ///   - receiver: Who gets its rows; what he got before ends. He is not kept.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `usage`, `statementFailed` or `notTracked`
  ///   where the query cannot be observed.
  package func observe(
    _ request: ResultsRequest, for receiver: any ResultsReceiver
  ) async throws(HistoryError) {
    arriving += 1
    defer { hasArrived() }
    try await beginFollowing()
    let follower = try follower()
    let earlier = feeds.compactMap { $0 as? ResultsFeed }.filter { $0.isFor(receiver) }
    let feed = try await follower.patiently { () throws(HistoryError) in
      try ResultsFeed(request, to: receiver, on: follower.store, counting: feedCounts)
    }
    // There before it reads, it misses nothing that is committed afterwards.
    feeds.append(feed)
    do throws(HistoryError) {
      try await follower.patiently { () throws(HistoryError) in try feed.begin(after: earlier) }
    } catch {
      feeds.removeAll { $0 === feed }
      throw error
    }
    feeds.removeAll(where: \.isGone)
  }

  /// How often queries ran, and how often they did not have to.
  package var queryRuns: (runs: Int, avoided: Int) { (feedCounts.runs, feedCounts.avoided) }
}
