import HistoryModel
import SQLite

/// Finds where the next tagged transaction lies, so that its rows can be told from untagged ones
/// before the row that closes its tag is reached.
///
/// It looks ahead through the marks of the history only, remembers how far it has looked, and can
/// stop and go on: a transaction of millions of rows is looked through in steps.
struct TransactionFinder {
  /// A tagged transaction.
  struct Tagged {
    /// The first row of its range.
    var first: Int64
    /// The row that closes it.
    var last: Int64
    var record: TransactionRecord
  }

  /// What is known of the rows from a place on.
  enum Finding {
    /// The rows before `until` are untagged; nothing is known of those after it.
    case untagged(until: Int64)
    /// The next tagged transaction; rows before it are untagged.
    case tagged(Tagged)
    /// More must be looked through.
    case unfinished

    /// The rows before this one are untagged.
    var untaggedUntil: Int64 {
      switch self {
      case .untagged(let until): until
      case .tagged(let tagged): tagged.first
      case .unfinished: 0
      }
    }
  }

  /// A tag that was opened and not closed yet.
  private struct Open {
    var sequence: Int64
    var author: String
    var context: String?
  }

  /// Everything before this row has been looked through.
  private var next: Int64
  private var open: Open?
  private var lastTime: Double?
  private var rowsOfStatement = 1
  private var found: Tagged?

  /// How many rows one step looks through at most.
  private static let step: Int64 = 20_000

  private let marks: Statement
  private let rows: Statement
  private let following: Statement

  /// The last row that was looked through.
  var last: Int64 { next - 1 }

  /// Begins at a place between two transactions.
  init(after position: Int64, _ connection: Connection) throws {
    next = min(position, .max - 1) + 1
    let columns = "SELECT sequence, what, at, v0, v1, v2, v4, v5, v6, v7 FROM _history_change"
    marks = try connection.prepare(
      "\(columns) WHERE sequence BETWEEN ?1 AND ?2 AND what <= 3 ORDER BY sequence LIMIT 1")
    rows = try connection.prepare(
      "\(columns) WHERE sequence BETWEEN ?1 AND ?2 ORDER BY sequence")
    following = try connection.prepare(
      "SELECT sequence FROM _history_change WHERE sequence > ? ORDER BY sequence LIMIT 1")
  }

  /// Looks ahead.
  ///
  /// - Parameters:
  ///   - position: The row that the reader has come to; tags that end there or before are past.
  ///   - head: The newest row.
  /// - Returns: What is known of the rows from the position on.
  /// - Throws: What SQLite reports.
  /// - Complexity: O(*n*) for *n* rows up to the next tag, each looked through once.
  mutating func find(from position: Int64, head: Int64) throws -> Finding {
    if let found {
      if found.last >= position { return .tagged(found) }
      self.found = nil
    }
    let end = min(head, next + Self.step)
    while next <= end {
      if let tagged = try open == nil ? findMark(end, head) : findClose(end, head) {
        found = tagged
        return .tagged(tagged)
      }
    }
    guard next > head else { return .unfinished }
    // A tag that is still open at the head never counts: what closes it is another transaction.
    open = nil
    return .untagged(until: head + 1)
  }

  /// Looks for the next mark, passing over changes inside SQLite.
  private mutating func findMark(_ end: Int64, _ head: Int64) throws -> Tagged? {
    try marks.bind(.integer(next), at: 1)
    try marks.bind(.integer(end), at: 2)
    defer { marks.reset() }
    guard try marks.step() else {
      try pass(end, head)
      return nil
    }
    next = marks.int64(at: 0) + 1
    return take(marks)
  }

  /// Looks for what closes the open tag, with the times of the changes between.
  private mutating func findClose(_ end: Int64, _ head: Int64) throws -> Tagged? {
    try rows.bind(.integer(next), at: 1)
    try rows.bind(.integer(end), at: 2)
    defer { rows.reset() }
    while open != nil, try rows.step() {
      next = rows.int64(at: 0) + 1
      pass(rows)
      if let tagged = take(rows) { return tagged }
    }
    if open != nil { try pass(end, head) }
    return nil
  }

  /// Goes on behind a row, and behind what is missing after it, however much that is.
  private mutating func pass(_ end: Int64, _ head: Int64) throws {
    next = end + 1
    guard end < head else { return }
    try following.bind(.integer(end), at: 1)
    defer { following.reset() }
    if try following.step() { next = following.int64(at: 0) }
  }

  /// Takes a row that may be a mark.
  private mutating func take(_ row: Statement) -> Tagged? {
    let sequence = row.int64(at: 0)
    let what = row.int64(at: 1)
    if what == Layout.Mark.opened {
      open = Open(sequence: sequence, author: words(row, 3) ?? "", context: words(row, 4))
      lastTime = row.julianDay(at: 2)
      rowsOfStatement = 1
    }
    return close(what, sequence, row)
  }

  /// A pause of a second ends an open tag's chance: whatever closes it later is another
  /// transaction, whose writer meant another tag.
  ///
  /// A row has the time at which its statement began, so a statement's own work must not count as
  /// a pause: each of its rows excuses a tenth of a millisecond. Where rows have no time nothing
  /// can be told.
  private mutating func pass(_ row: Statement) {
    guard row.int64(at: 1) != Layout.Mark.more else { return }
    guard let time = row.julianDay(at: 2) else {
      lastTime = nil
      return
    }
    if time == lastTime {
      rowsOfStatement += 1
      return
    }
    if open != nil, let lastTime {
      let work = Double(rowsOfStatement) * Self.second / 10_000
      if time - lastTime >= Self.second + work { open = nil }
    }
    lastTime = time
    rowsOfStatement = 1
  }

  /// A text for people; what is not UTF-8 in it is shown as replacement characters.
  private func words(_ row: Statement, _ column: Int) -> String? {
    switch row.value(at: column) {
    case .null: nil
    case .text(let text): text
    case .malformedText(let bytes), .blob(let bytes): String(decoding: bytes, as: UTF8.self)
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    }
  }

  private mutating func close(_ what: Int64, _ sequence: Int64, _ marks: Statement) -> Tagged? {
    let timestamp = marks.julianDay(at: 2).flatMap { CalendarTime(julianDay: $0) }
    switch what {
    case Layout.Mark.tag:
      open = nil
      return Tagged(
        first: min(marks.int64(at: 5), sequence), last: sequence,
        record: record(marks, sequence, timestamp))
    case Layout.Mark.closed:
      guard let open else { return nil }
      self.open = nil
      return Tagged(
        first: open.sequence, last: sequence,
        record: TransactionRecord(
          number: sequence, author: open.author, context: open.context, isTagged: true,
          timestamp: timestamp))
    default:
      return nil
    }
  }

  /// What the tag of a library writer says.
  private func record(
    _ tag: Statement, _ sequence: Int64, _ timestamp: CalendarTime?
  ) -> TransactionRecord {
    let author = words(tag, 3)
    let origin = tag.text(at: 6).flatMap { StoreIdentifier($0) }
    return TransactionRecord(
      number: sequence, author: author, context: words(tag, 4),
      // What was brought here and had no author where it was made has a tag all the same.
      isTagged: author != nil, timestamp: timestamp, origin: origin,
      originSequence: origin == nil || tag.isNull(at: 7) ? nil : tag.int64(at: 7),
      arrival: origin.map { origin in
        TransactionArrival(
          source: tag.text(at: 8).flatMap { StoreIdentifier($0) } ?? origin,
          madeAt: tag.isNull(at: 9) ? nil : CalendarTime(milliseconds: tag.int64(at: 9)))
      })
  }

  /// A second of Julian days, less half a millisecond of rounding.
  static let second = 0.9995 / 86_400
}

extension Statement {
  /// A time as the history keeps it; nil where the row has none, or something else stands there.
  func julianDay(at column: Int) -> Double? {
    storage(at: column) == .real ? double(at: column) : nil
  }
}
