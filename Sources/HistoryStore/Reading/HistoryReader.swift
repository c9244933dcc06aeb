public import HistoryModel
import SQLite

/// Reads a store's history from a position on, in pages.
///
/// Each call is one read transaction of its own, so nothing is held between calls; a transaction of
/// any size is read in constant memory. A page may end inside a transaction, whose changes count
/// only once its commit has come.
public final class HistoryReader {
  /// The values of the change that was read last.
  public private(set) var values = CellBuffer()
  private var hasPassedOver = false
  /// The position between two transactions up to which everything was read.
  public private(set) var token: HistoryToken
  /// What the page that last came to the head saw of the store; nil when none has.
  package private(set) var versionAtHead: StoreVersion?

  package let store: TrackedStore
  package let filter: ChangeFilter
  package let end: HistoryToken?
  private let rows: Statement
  private let headers: Statement
  private var header: StoreHeader?
  private var headerMark: StoreHeader.Mark?
  private var shapes: ShapeCache
  private var finder: TransactionFinder
  /// The last row that was read.
  private var position: Int64
  /// The check of the row at ``position``, to notice that the store was restored.
  private var positionCheck: UInt64
  /// The epoch in which the row at ``position`` was read; a store that is restored begins another.
  private var positionEpoch: UInt32
  private var current: Transaction?
  private var scratch = CellBuffer()
  /// The rows before this one are known to be untagged.
  private var untaggedUntil: Int64 = 0
  /// The last row that was looked at ahead of ``position``, and its check: what stands between them
  /// may be another history's after a restore, though the position itself is still good.
  private var lookAhead: (row: Int64, check: UInt64?)?
  /// After how much without an item a page ends: a few milliseconds' worth at most.
  private static let longestSilence = 4096
  var supplement: LiveSupplement

  /// A transaction that is being read.
  private struct Transaction {
    var record: TransactionRecord
    /// The row that it begins with.
    var first: Int64
    /// The row that closes it; nil for an untagged run.
    var last: Int64?
    var run: UntaggedRun?
    var index = 0
    var shown = 0
    var isWanted: Bool
  }

  /// Begins to read after a position.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - token: The position, which must be usable.
  ///   - filter: Which changes are wanted.
  ///   - end: The position to stop at, if any.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `notTracked`.
  public init(
    _ store: TrackedStore, after token: HistoryToken, filter: ChangeFilter = ChangeFilter(),
    until end: HistoryToken? = nil
  ) throws(HistoryError) {
    self.store = store
    self.token = token
    self.filter = filter
    self.end = end
    position = token.sequence
    positionCheck = token.check
    positionEpoch = token.epoch
    shapes = ShapeCache(filter)
    supplement = LiveSupplement(store.connection)
    let connection = store.connection
    (finder, rows, headers) = try HistoryError.translating(at: store.path) {
      (
        try TransactionFinder(after: token.sequence, connection),
        try connection.prepare(
          """
          SELECT sequence, what, at, \(Layout.slotNames(Layout.slots)) FROM _history_change
          WHERE sequence BETWEEN ?1 AND ?2 ORDER BY sequence
          """),
        try connection.prepare(StoreHeader.markQuery)
      )
    }
  }

  /// Reads a page.
  ///
  /// - Parameter body: Takes each item, and says whether to read on.
  /// - Returns: Where the reader stands.
  /// - Throws: ``/HistoryModel/HistoryError`` when the store cannot be read.
  /// - Complexity: O(log *h* + *n*) for *n* rows read out of *h* kept.
  public func read(_ body: (HistoryItem) -> ReadingStep) throws(HistoryError) -> ReadingState {
    try HistoryError.translating(at: store.path) {
      try withoutActuallyEscaping(body) { body in
        try store.connection.transaction(.deferred) {
          do {
            let state = try readPage(body)
            if state == .atHead { versionAtHead = try store.version() }
            return state
          } catch let error as SQLiteError where error.code.primary == .error {
            // "No such table" is how it looks when the history was dropped.
            guard try !store.hasHistory() else { throw error }
            return .expired(.historyDropped)
          }
        }
      }
    }
  }

  /// The last row of history that was read: of the change that is being given.
  package var sequence: Int64 { position }

  /// Reads a page inside a transaction of the caller's.
  ///
  /// - Parameter body: Takes each item, and says whether to read on.
  /// - Returns: Where the reader stands.
  /// - Throws: What SQLite and the history report.
  package func readInTransaction(_ body: (HistoryItem) -> ReadingStep) throws -> ReadingState {
    try withoutActuallyEscaping(body) { try readPage($0) }
  }

  /// Whether transactions were passed over, because nothing in them matched, since the last commit
  /// that was given or the last time this was asked.
  ///
  /// - Returns: Whether a bookmark has something to say.
  public func takePassedOver() -> Bool {
    defer { hasPassedOver = false }
    return hasPassedOver
  }

  private func readPage(
    _ body: @escaping (HistoryItem) -> ReadingStep
  ) throws -> ReadingState {
    let header = try currentHeader()
    guard header.identifier == token.storeIdentifier else { return .expired(.storeReplaced) }
    let now = HistoryToken(
      storeIdentifier: header.identifier, epoch: positionEpoch, sequence: position,
      check: positionCheck)
    if let reason = try store.expiry(of: now, in: header) { return .expired(reason) }
    if let lookAhead, try store.check(at: lookAhead.row) != lookAhead.check {
      finder = try TransactionFinder(after: position, store.connection)
      untaggedUntil = 0
      if let current, current.first > position { self.current = nil }
    }
    let head = min(max(try store.newest(), header.trimmed), end?.sequence ?? .max)
    var page = Page(header: header, head: head, body: body)
    try supplement.prepare(header)
    try rows.bind(.integer(position + 1), at: 1)
    try rows.bind(.integer(head), at: 2)
    defer { rows.reset() }
    while !page.isPaused, try rows.step() {
      if try !take(&page) { break }
      page.silence += 1
      // Only who is given an item can end a page, and a read must not be long where nothing matches.
      if !page.isPaused, page.silence >= Self.longestSilence {
        page.isUnfinished = true
        break
      }
    }
    if !page.isPaused && !page.isUnfinished {
      guard position >= head else {
        throw HistoryError.historyDamaged("rows between \(position) and \(head) are missing")
      }
      try finish(&page, at: position)
    }
    let reached = try tokenOfPage(at: position, page)
    positionCheck = reached.check
    positionEpoch = reached.epoch
    lookAhead =
      finder.last > position ? (finder.last, try store.check(at: finder.last)) : nil
    if current == nil { token = reached }
    if page.isPaused || page.isUnfinished || position < head { return .more }
    return end.map { $0.sequence <= position } ?? false ? .atEnd : .atHead
  }

  /// The store's header, read anew when what changes in it has changed.
  private func currentHeader() throws -> StoreHeader {
    defer { headers.reset() }
    guard try headers.step() else { throw HistoryError.historyDamaged("it has no header") }
    let mark = StoreHeader.Mark(row: headers)
    if let header, headerMark == mark { return header }
    let header = try StoreHeader(row: store.prepared(.header))
    self.header = header
    headerMark = mark
    return header
  }

  /// The token of a position, once it was computed for this page.
  private func tokenOfPage(at sequence: Int64, _ page: Page) throws -> HistoryToken {
    if token.sequence == sequence, token.epoch == page.header.epoch { return token }
    return try store.token(at: sequence, of: page.header)
  }

  /// What one page needs besides the reader.
  private struct Page {
    let header: StoreHeader
    let head: Int64
    let body: (HistoryItem) -> ReadingStep
    var isPaused = false
    var isUnfinished = false
    /// What was read since the last item, in rows; a kilobyte of values counts as one.
    var silence = 0

    mutating func give(_ item: HistoryItem) {
      silence = 0
      if body(item) == .pause { isPaused = true }
    }
  }
}

extension HistoryReader {
  /// Takes the row that the statement stands on.
  ///
  /// - Returns: False when the page must end before it.
  private func take(_ page: inout Page) throws -> Bool {
    let sequence = rows.int64(at: 0)
    let what = rows.int64(at: 1)
    if current?.last == nil {
      guard try enter(sequence, what, &page) else { return false }
      if page.isPaused { return false }
    }
    position = sequence
    if what >= Layout.Mark.firstChange {
      try takeChange(sequence, what, &page)
    } else if what == Layout.Mark.notice {
      try takeNotice(sequence, &page)
    }
    if let last = current?.last, sequence >= last {
      // The statement stands on the very row that the position is tied to.
      scratch.removeAll()
      rows.appendCells(1..<(3 + Layout.slots), to: &scratch)
      try finish(&page, at: sequence, check: RowCheck.value(of: scratch))
    }
    return true
  }

  /// Begins the transaction that a row belongs to, where it is not the one being read.
  private func enter(_ sequence: Int64, _ what: Int64, _ page: inout Page) throws -> Bool {
    if what >= Layout.Mark.firstChange, sequence < untaggedUntil,
      current?.run?.accept(sequence, time: rows.julianDay(at: 2)) == true
    {
      return true
    }
    switch try finder.find(from: sequence, head: page.head) {
    case .unfinished:
      page.isUnfinished = true
      return false
    case .tagged(let tagged) where tagged.first <= sequence:
      try finish(&page, at: position)
      current = Transaction(
        record: tagged.record, first: tagged.first, last: tagged.last,
        isWanted: filter.matches(tagged.record))
    case let finding:
      untaggedUntil = finding.untaggedUntil
      let time = rows.julianDay(at: 2)
      if what < Layout.Mark.firstChange {
        if what == Layout.Mark.notice { try finish(&page, at: position) }
        return true
      }
      if current?.run?.accept(sequence, time: time) == true { return true }
      try finish(&page, at: position)
      current = Transaction(
        record: TransactionRecord(number: sequence), first: sequence,
        run: UntaggedRun(first: sequence, time: time), isWanted: filter.matches(author: nil))
    }
    return true
  }

  private func takeNotice(_ sequence: Int64, _ page: inout Page) throws {
    values.removeAll()
    rows.appendCells(3..<7, to: &values)
    guard let notice = NoticeRow.notice(values, from: 0), filter.matches(table: notice.table)
    else { return }
    page.give(.notice(notice, try store.token(at: sequence, of: page.header)))
    if current == nil { token = try store.token(at: sequence, of: page.header) }
  }

  /// Decodes a change and gives it, if it is one and is wanted.
  private func takeChange(_ sequence: Int64, _ what: Int64, _ page: inout Page) throws {
    let entry = try shapes.entry(what / 8, store.connection)
    let code = what % 8
    guard code <= 2 else {
      throw HistoryError.historyDamaged("row \(sequence) is no change that this program knows")
    }
    let isUpdate = code == 1
    let count = isUpdate ? 2 * entry.width : entry.width
    let isWanted = current?.isWanted == true && entry.isWanted
    try decode(count, isWanted: isWanted || isUpdate)
    page.silence += max(count - 1, 0) / Layout.slots + values.bytes.count >> 10
    if isUpdate { normalise(entry, rows: [0, entry.width]) } else { normalise(entry, rows: [0]) }
    switch code {
    case 0:
      let (shape, row) = try supplement.completing(entry.shape, at: 0, in: &values, isWanted)
      give(
        RecordedChange(shape: shape, operation: .insert, after: row, before: nil), isWanted,
        &page)
    case 2:
      give(
        RecordedChange(shape: entry.shape, operation: .delete, after: nil, before: 0), isWanted,
        &page)
    default:
      giveUpdate(entry, isWanted, &page)
    }
  }

  private func giveUpdate(_ entry: ShapeCache.Entry, _ isWanted: Bool, _ page: inout Page) {
    let shape = entry.shape
    let update = RecordedChange(
      shape: shape, operation: .update, after: 0, before: entry.width)
    // A rowid that stands in for a key has no place in images, and a key alone has no images: the
    // row under the old key went, and one under the new key came.
    let isMoved =
      (shape.isKeyedByRowID || shape.capture == .keys)
      && shape.keyPlaces.contains { update.differs(at: $0, in: values) }
    if isMoved {
      give(
        RecordedChange(shape: shape, operation: .delete, after: nil, before: entry.width),
        isWanted, &page)
      give(
        RecordedChange(shape: shape, operation: .insert, after: 0, before: nil), isWanted, &page)
    } else if shape.capture == .keys
      || (0..<entry.width).contains(where: { update.differs(at: $0, in: values) })
    {
      give(update, isWanted, &page)
    }
  }

  private func give(_ change: RecordedChange, _ isWanted: Bool, _ page: inout Page) {
    guard let transaction = current else { return }
    current?.index += 1
    guard isWanted, filter.matches(operation: change.operation) else { return }
    current?.shown += 1
    page.give(.change(change, index: transaction.index, transaction.record))
  }

  /// Copies a change's values out of the row and the rows after it.
  private func decode(_ count: Int, isWanted: Bool) throws {
    values.removeAll()
    var remaining = count
    while true {
      let part = min(remaining, Layout.slots)
      if isWanted { rows.appendCells(3..<(3 + part), to: &values) }
      remaining -= part
      guard remaining > 0 else { return }
      guard try rows.step(), rows.int64(at: 1) == Layout.Mark.more else {
        throw HistoryError.historyDamaged("a change has lost its further values")
      }
      position = rows.int64(at: 0)
    }
  }

  /// An integer in a column of REAL affinity stands for a real (fact 51).
  private func normalise(_ entry: ShapeCache.Entry, rows: [Int]) {
    guard !entry.realPlaces.isEmpty, !values.cells.isEmpty else { return }
    for row in rows {
      for place in entry.realPlaces where values.cells[row + place].storage == .integer {
        let integer = Int64(bitPattern: values.cells[row + place].payload)
        values.cells[row + place] = CellBuffer.Cell(
          .real, payload: Double(integer).bitPattern)
      }
    }
  }

  /// Whether a transaction without changes has something to say: that what another store made is
  /// known here, though it had no effect.
  private func tellsOfOrigin(_ transaction: Transaction) -> Bool {
    transaction.record.origin != nil && transaction.index == 0 && transaction.isWanted
      && filter.tables.isEmpty && filter.operations.isEmpty
  }

  /// Ends the transaction that is being read.
  private func finish(
    _ page: inout Page, at sequence: Int64, check: UInt64? = nil
  ) throws {
    guard let transaction = current else { return }
    current = nil
    var record = transaction.record
    if let run = transaction.run {
      record = TransactionRecord(
        number: run.first, timestamp: run.lastTime.flatMap { CalendarTime(julianDay: $0) })
    }
    if transaction.shown > 0 || tellsOfOrigin(transaction) {
      token =
        if let check {
          HistoryToken(
            storeIdentifier: page.header.identifier, epoch: page.header.epoch,
            sequence: sequence, check: check)
        } else {
          try store.token(at: sequence, of: page.header)
        }
      hasPassedOver = false
      page.give(.commit(record, changes: transaction.shown, token))
    } else if transaction.index > 0 {
      hasPassedOver = true
    }
  }
}
