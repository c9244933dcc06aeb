import HistoryModel
package import SQLite

/// The epochs of a store, and where in its history each after the first began.
///
/// A store that was restored goes on from an older state, so rows that were handed out are gone and
/// others will come to stand under their numbers. Positions carry the epoch in which they were
/// handed out, so that those are told apart even where what stands there looks the same.
package struct StoreEpochs {
  private let connection: Connection

  /// What the keys of `_history_store` begin with that say where an epoch began.
  private static let prefix = "epoch:"

  /// Names the epochs of a database, which need not be tracked.
  ///
  /// - Parameter connection: A connection to it.
  package init(_ connection: Connection) { self.connection = connection }

  /// The epoch that the store is in.
  ///
  /// - Returns: The epoch; nil when the store is not tracked.
  /// - Throws: `HistoryError` when the history is of another layout or damaged.
  package func current() throws -> UInt32? {
    guard try !StoreHeader.presence(connection).isEmpty else { return nil }
    return try StoreHeader(connection).epoch
  }

  /// Begins a new epoch at the head of the history, inside a transaction of the caller's.
  ///
  /// Positions up to the head stay good; later ones of other epochs have expired, whatever comes to
  /// stand there.
  ///
  /// - Parameter epoch: An epoch in which positions may have been handed out.
  /// - Returns: The new epoch, later than that one and than the store's own.
  /// - Throws: `HistoryError` with code `notTracked` when the store has no history.
  /// - Complexity: O(log *h*) for *h* rows of history.
  package func begin(after epoch: UInt32) throws -> UInt32 {
    var header = try StoreHeader(connection)
    let newest = try connection.row("SELECT max(sequence) FROM _history_change")?[0].integer ?? 0
    header.epoch = max(header.epoch, epoch) + 1
    try header.write(to: connection)
    try connection.run(
      "INSERT OR REPLACE INTO _history_store(key, value) VALUES(?, ?)",
      .text("\(Self.prefix)\(header.epoch)"), .integer(max(newest, header.trimmed)))
    return header.epoch
  }

  /// The last position of an epoch that is still part of this history.
  ///
  /// Of an epoch that this history never went through, only what came before the next one that it
  /// did can be part of it.
  ///
  /// - Parameter epoch: An epoch before the present one.
  /// - Returns: The sequence; nil when no later epoch began.
  /// - Throws: What SQLite reports.
  func end(of epoch: UInt32) throws -> Int64? {
    try connection.row(
      """
      SELECT min(value) FROM _history_store
      WHERE key GLOB '\(Self.prefix)*' AND CAST(substr(key, ?) AS INTEGER) > ?
      """, .integer(Int64(Self.prefix.utf8.count) + 1), .integer(Int64(epoch)))?[0].integer
  }
}
