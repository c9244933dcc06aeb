package import HistoryModel

/// Applies the messages of a relay to a store, from where the store stands.
///
/// The store owns the position, as it does whenever it follows another. Confined to whoever drives it.
package final class RelayFollower {
  private let applier: HistoryApplier
  private let store: StoreIdentifier
  private let resynchronizes: Bool
  private var lines: StreamApplier?
  private var splitter = LineSplitter(limit: .max)
  /// The sequence of the last message that was taken, or after which to begin.
  package private(set) var sequence: UInt64 = 0
  /// Where the next has to begin.
  private var next: RelayMark?
  /// The conflicts that were found and not returned yet, since something failed behind them.
  private var conflicts: [SyncConflict] = []
  /// What a comparison with the rows has changed, once.
  private var outcome: SnapshotOutcome?

  /// Makes one.
  ///
  /// - Parameters:
  ///   - applier: What applies.
  ///   - store: The store whose messages come.
  ///   - resynchronizes: Whether to compare with the rows of the newest beginning first, if the
  ///     position that is held is not after it.
  package init(_ applier: HistoryApplier, following store: StoreIdentifier, resynchronizes: Bool) {
    self.applier = applier
    self.store = store
    self.resynchronizes = resynchronizes
  }

  /// Finds where to begin, and lets the source begin there.
  ///
  /// - Parameter source: What the messages are read from.
  /// - Returns: The sequence of the last message that is stored; 0 when there is none.
  /// - Throws: ``RelayFailure``, and ``/HistoryModel/HistoryError`` with code `historyTokenExpired` when
  ///   what follows the position that is held is not there.
  package nonisolated(nonsending) func begin(_ source: any RelaySource) async throws -> UInt64 {
    lines = nil
    splitter = LineSplitter(limit: .max)
    next = nil
    sequence = 0
    let last = try await source.lastStored()
    if let last {
      let place = try await place(in: RelaySearch(source, last: last))
      sequence = place.after
      if let position = place.position { try goOn(at: position, last) }
    }
    try await source.begin(after: sequence)
    return last?.sequence ?? 0
  }

  private nonisolated(nonsending) func place(in search: RelaySearch) async throws -> RelayPlace {
    guard let held = try applier.position(of: store) else { return try beginning(search) }
    if search.last.message.beginning == .new {
      if resynchronizes { throw HistoryError.relayHasNoRows() }
    } else if search.last.message.to == .rows {
      // Rows are still being stored.
      guard resynchronizes else { throw HistoryError.relayBegunAnew() }
      return try beginning(search)
    } else if let rows = try await search.endOfRows() {
      if resynchronizes, held <= rows { return try beginning(search) }
      if held < rows { throw HistoryError.relayBegunAnew() }
    } else if resynchronizes, !search.isAfterRows(held) {
      throw HistoryError.relayHasNoRows()
    }
    guard let place = try await search.place(of: held) else { throw HistoryError.relayTrimmed() }
    return place
  }

  private func beginning(_ search: RelaySearch) throws(HistoryError) -> RelayPlace {
    guard search.hasBeginning else { throw .relayTrimmed() }
    return search.beginning
  }

  /// Makes as if the stream began at a position.
  private func goOn(at position: HistoryToken, _ last: StoredMessage) throws {
    let held = try applier.position(of: store) ?? position
    // A server may have lost what is held already; it comes again, and is passed over.
    let stored = last.message.to.position?.token ?? position
    var encoder = LineEncoder()
    encoder.hello(
      .continue, token: position, oldest: position,
      head: stored.sequence < held.sequence ? held : stored)
    let lines = StreamApplier(applier)
    _ = try lines.take(encoder.bytes[...])
    self.lines = lines
    next = .at(RelayPosition(position))
  }

  /// Applies a message.
  ///
  /// - Parameter stored: The message that follows the one before.
  /// - Returns: The conflicts, and false where it does not follow: then ``begin(_:)`` finds the place
  ///   anew.
  /// - Throws: What ``StreamApplier/take(_:)`` throws. A part of the message may be applied then, so that it
  ///   is not to be given once more, but to be found by ``begin(_:)``.
  package func take(
    _ stored: StoredMessage
  ) throws -> (conflicts: [SyncConflict], follows: Bool) {
    // It came twice.
    if stored.sequence <= sequence { return ([], true) }
    let message = stored.message
    if stored.isFirst {
      try beginRun(message)
    } else if next != message.from {
      return ([], false)
    }
    guard let lines else { return ([], false) }
    splitter.append(message.body)
    while case .whole(let line)? = splitter.next() { conflicts += try lines.take(line) }
    sequence = stored.sequence
    next = message.to
    if let compared = lines.snapshot, message.from == .rows { outcome = compared }
    defer { conflicts = [] }
    return (conflicts, true)
  }

  private func beginRun(_ message: RelayMessage) throws {
    let held = try applier.position(of: store)
    if message.beginning == .reset, held != nil, !resynchronizes {
      throw HistoryError.relayBegunAnew()
    }
    splitter = LineSplitter(limit: .max)
    lines = StreamApplier(
      applier, resynchronizes: resynchronizes && message.beginning != .new)
  }

  /// Takes out what a comparison with the rows has changed, where one was asked for.
  package func takeOutcome() -> SnapshotOutcome? {
    defer { outcome = nil }
    return resynchronizes ? outcome : nil
  }

  /// There is nothing more to come.
  ///
  /// - Throws: ``/HistoryModel/HistoryError`` with code `temporary` when it ends inside a transaction.
  package func finish() throws { try lines?.finish() }
}
