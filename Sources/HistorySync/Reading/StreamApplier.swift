import HistoryModel

/// Applies the lines that `historywatch stream` prints, as they come.
///
/// ```swift
/// let lines = StreamApplier(try HistoryApplier(path: "b.db"))
/// for line in input { for conflict in try lines.take(line) { print(conflict.line) } }
/// try lines.finish()
/// ```
public final class StreamApplier {
  private let applier: HistoryApplier
  private var decoder: LineDecoder
  private var intake: StreamIntake
  private var held: HistoryToken?
  /// The last tagged transaction that was applied, as long as it is to come again.
  private var expected: HistoryToken?
  private var number = 0
  private let resynchronizes: Bool
  private var isPassingOver = false
  /// What the rows of a snapshot have changed; nil while none was written.
  public private(set) var snapshot: SnapshotOutcome?

  /// Makes one for the lines of one stream.
  ///
  /// - Parameters:
  ///   - applier: What applies them.
  ///   - resynchronizes: Whether the stream's snapshot is compared with the rows that are here, and
  ///     what differs is fixed.
  ///   - lineLimit: How many bytes a line may have.
  public init(
    _ applier: HistoryApplier, resynchronizes: Bool = false, lineLimit: Int = 1 << 31
  ) {
    self.applier = applier
    self.resynchronizes = resynchronizes
    decoder = LineDecoder(limit: lineLimit)
    intake = StreamIntake(for: applier.storeIdentifier)
  }

  /// Takes in a line.
  ///
  /// - Parameter line: The line, with or without its end.
  /// - Returns: The conflicts of the transaction that it ended.
  /// - Throws: ``ConflictError`` where nobody decided, and ``/HistoryModel/HistoryError``: code
  ///   `discontinuity` when a part is missing, `historyTokenExpired` when it tells of a gap,
  ///   `foreignToken` when it is the store's own, `usage` when it is no line of a stream,
  ///   `tablesDiffer` when it cannot be applied. What came before it stays applied.
  public func take(_ line: ArraySlice<UInt8>) throws -> [SyncConflict] {
    number += 1
    let action: StreamIntake.Action
    do {
      action = try intake.take(decoder.decode(line))
    } catch let error as LineError {
      throw HistoryError.notALine(number, error)
    }
    switch action {
    case .nothing: return []
    case .begin(let store):
      held = try applier.position(of: store)
      try intake.begin(holding: held, mustBeginWithRows: resynchronizes)
      expected = resynchronizes ? nil : try applier.lastTagged(of: store)
      begin(at: intake.position)
    case .apply(let transaction):
      try meet(transaction.token)
      // What is held need not be asked for under a lock.
      if let held {
        if transaction.token.sequence < held.sequence { return [] }
        if transaction.token.sequence == held.sequence {
          guard transaction.token.check == held.check else { throw HistoryError.sourceRestored() }
          return []
        }
      }
      if case .applied(let conflicts) = try applier.apply(transaction) { return conflicts }
    case .advance(let token):
      try meet(token)
      try applier.advance(to: token)
    case .beginSnapshot(let token, let tables):
      begin(at: token)
      isPassingOver = !resynchronizes && held.map { $0 >= token } ?? false
      guard resynchronizes || held == nil || isPassingOver else {
        throw HistoryError.snapshotAfter()
      }
      if !isPassingOver { try applier.beginSnapshot(at: token, tables: tables) }
    case .row(let row):
      if !isPassingOver {
        try applier.takeRow(table: row.table, key: row.key, values: row.values)
      }
    case .endSnapshot(let token):
      if isPassingOver { break }
      snapshot = try applier.finishSnapshot(resynchronizes: resynchronizes)
      held = token
    case .end: try applier.finish()
    }
    return []
  }

  /// What follows comes after a position.
  private func begin(at position: HistoryToken?) {
    if let expected, let position, position.sequence >= expected.sequence { self.expected = nil }
  }

  /// Looks whether what comes again is what was applied: a store that was restored and then grew on
  /// has other transactions at the same places.
  private func meet(_ token: HistoryToken) throws(HistoryError) {
    guard let expected, token.sequence >= expected.sequence else { return }
    self.expected = nil
    if token.sequence > expected.sequence { throw .otherHistory() }
    if token.check != expected.check { throw .sourceRestored() }
  }

  /// The input has ended.
  ///
  /// - Throws: ``/HistoryModel/HistoryError`` with code `temporary` when it ended inside a
  ///   transaction, of which nothing was applied.
  public func finish() throws {
    try intake.finish()
    try applier.finish()
  }
}
