import HistoryModel

/// Follows the lines of one stream and decides what each means for the store that is to follow.
///
/// It is strict: what does not continue the history without a hole is refused, and so is everything
/// that tells of changes that are not in the stream.
struct StreamIntake {
  /// What is to be done after a line.
  enum Action: Equatable {
    /// Nothing.
    case nothing
    /// The stream is one of that store: say what is held of it, by ``begin(holding:)``.
    case begin(StoreIdentifier)
    /// Apply a transaction.
    case apply(HistoryTransaction)
    /// Everything up to a position was shown, or did not match.
    case advance(HistoryToken)
    /// The rows of the store, as they are at a position, follow.
    case beginSnapshot(HistoryToken, tables: [TableDefinition])
    /// One of them.
    case row(StreamLine.Row)
    /// That was all of them.
    case endSnapshot(HistoryToken)
    /// The stream has ended in order.
    case end
  }

  private enum Phase {
    case fresh
    case greeted(StreamLine.Hello)
    case streaming(HistoryToken)
    case snapshot(HistoryToken)
    case ended
  }

  private var phase = Phase.fresh
  private var assembler = TransactionAssembler()
  private let own: StoreIdentifier

  /// Begins before the first line.
  ///
  /// - Parameter own: The store that is to follow.
  init(for own: StoreIdentifier) { self.own = own }

  /// Takes in a line.
  ///
  /// - Returns: What is to be done.
  /// - Throws: `HistoryError` when the stream cannot be followed from here on, and `LineError` when
  ///   a line does not fit those before it.
  mutating func take(_ line: StreamLine) throws -> Action {
    switch line {
    case .hello(let hello): return try greet(hello)
    case .unknown: return .nothing
    case .expired(let expiry): throw HistoryError.sourceExpired(expiry.reason)
    case .notice(let notice, _):
      guard case .gap = notice.event else { return .nothing }
      throw HistoryError.gap(notice.table)
    case .change(let change):
      try requireStream("change")
      try assembler.append(change)
      return .nothing
    case .commit(let record, let changes, let token):
      try requireStream("commit")
      let whole = try assembler.commit(record, changes: changes, token: token)
      return try take(whole)
    case .transaction(let transaction):
      try requireStream("transaction")
      return try take(transaction)
    case .bookmark(let token):
      try move(to: token)
      return .advance(token)
    case .snapshotBegin(let token, let tables):
      try move(to: token)
      phase = .snapshot(token)
      return .beginSnapshot(token, tables: tables)
    case .row(let row):
      guard case .snapshot = phase else { throw HistoryError.noHello("row") }
      return .row(row)
    case .snapshotEnd(let token):
      guard case .snapshot(let begun) = phase, begun == token else {
        throw HistoryError.brokenOrder()
      }
      phase = .streaming(token)
      return .endSnapshot(token)
    case .bye(let bye):
      switch bye.reason {
      case .error: throw HistoryError.sourceFailed(bye.message)
      case .expired: throw HistoryError.sourceExpired(.trimmed)
      default: break
      }
      phase = .ended
      return .end
    }
  }

  /// Judges whether the stream continues what is held of its store.
  ///
  /// - Parameters:
  ///   - held: The position up to which its history was applied; nil when nothing was.
  ///   - mustBeginWithRows: Whether only a snapshot will do.
  /// - Throws: `HistoryError` with code `discontinuity` or `historyTokenExpired` when it does not.
  mutating func begin(holding held: HistoryToken?, mustBeginWithRows: Bool) throws {
    guard case .greeted(let hello) = phase else { throw HistoryError.brokenOrder() }
    phase = .streaming(hello.token)
    // Rows come first, which need nothing that came before them; but those of an earlier state than
    // what is held would be passed over, and what follows them applied to other rows.
    if hello.resume == .snapshot {
      guard let held, !mustBeginWithRows, held.epoch == hello.epoch else { return }
      guard
        hello.head.sequence > held.sequence
          || hello.head.sequence == held.sequence && hello.head.check == held.check
      else { throw HistoryError.sourceRestored() }
      return
    }
    if mustBeginWithRows { throw HistoryError.noSnapshot() }
    guard let held else {
      guard hello.token.sequence == 0 else { throw HistoryError.missingPart(held: nil) }
      return
    }
    if held.epoch != hello.epoch, held != hello.token {
      // Who restored the store begins where positions of the older epoch are good no longer; only
      // the store itself can tell, and it has when it begins right there.
      guard held.sequence == hello.token.sequence, held.check == hello.token.check else {
        throw HistoryError.sourceRestored()
      }
    }
    guard hello.token.sequence <= held.sequence else {
      throw HistoryError.missingPart(held: held)
    }
    guard hello.token.sequence < held.sequence || hello.token.check == held.check else {
      throw HistoryError.sourceRestored()
    }
    guard hello.head.sequence >= held.sequence else { throw HistoryError.sourceRestored() }
  }

  /// The position that the stream has come to; nil before it begins and after its end.
  var position: HistoryToken? {
    switch phase {
    case .fresh, .ended: nil
    case .greeted(let hello): hello.token
    case .streaming(let token), .snapshot(let token): token
    }
  }

  /// The input has ended.
  ///
  /// - Throws: `HistoryError` when it ended before a stream began, or inside a transaction or a
  ///   snapshot.
  func finish() throws {
    if case .fresh = phase { throw HistoryError.nothingCame() }
    if assembler.isInTransaction { throw HistoryError.unfinished() }
    if case .snapshot = phase { throw HistoryError.unfinished() }
  }

  private mutating func greet(_ hello: StreamLine.Hello) throws -> Action {
    guard case .fresh = phase else { throw HistoryError.brokenOrder() }
    guard hello.store != own else { throw HistoryError.ownIdentity(own) }
    guard hello.token.storeIdentifier == hello.store, hello.head.storeIdentifier == hello.store
    else { throw HistoryError.brokenOrder() }
    phase = .greeted(hello)
    return .begin(hello.store)
  }

  private func requireStream(_ kind: String) throws {
    switch phase {
    case .fresh: throw HistoryError.noHello(kind)
    case .streaming: return
    case .greeted, .snapshot, .ended: throw HistoryError.brokenOrder()
    }
  }

  private mutating func take(_ transaction: HistoryTransaction) throws -> Action {
    try move(to: transaction.token)
    return .apply(transaction)
  }

  private mutating func move(to token: HistoryToken) throws {
    guard case .streaming(let position) = phase else {
      if case .fresh = phase { throw HistoryError.noHello("a position") }
      throw HistoryError.brokenOrder()
    }
    guard token.storeIdentifier == position.storeIdentifier, token >= position else {
      throw HistoryError.brokenOrder()
    }
    phase = .streaming(token)
  }
}
