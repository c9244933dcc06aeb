import HistoryModel

/// The rows that may differ from what one source has: those that were changed here, or came from a
/// third store, and that the source is not known to have taken in.
///
/// It is fed with the history of the store that is written to, and with how far the source's
/// history shows that the source knows others. It keeps nothing for a row on which both agree.
struct Divergences {
  /// A change of a row that the source is not known to know.
  struct Entry {
    /// The store that made it.
    var origin: StoreIdentifier
    /// Where it ended in its maker's history.
    var originSequence: Int64
    /// Where it began in our own, or before that.
    var sequence: Int64
    /// When it was made.
    var madeAt: CalendarTime?
    /// What the row was like before it, as far as the history tells.
    var before: RowBase
    /// Whether it moved the row to another key, or from one.
    var isMove = false
  }

  /// A row that may differ.
  struct Row {
    /// The changes that the source does not know, oldest first; never empty.
    fileprivate(set) var entries: [Entry]
    /// What the source has, where history does not tell it.
    fileprivate(set) var kept: RowBase?

    /// What the source has, as far as it is known.
    var base: RowBase {
      var base = kept ?? entries[0].before
      for entry in entries { base.fill(from: entry.before) }
      return base
    }

    /// Whether what the source has cannot be told from the changes of this place alone.
    var hasMoved: Bool { entries.contains(where: \.isMove) }
  }

  private struct Waiting {
    let place: RowPlace
    let originSequence: Int64
    let sequence: Int64
  }

  /// So many changes of one row are told apart; the source may know some of them and not others.
  private static let entryLimit = 64

  let identifier: StoreIdentifier
  private let source: StoreIdentifier
  private var rows: [RowPlace: Row] = [:]
  /// For each maker its changes in order, so that those which the source has seen are found.
  private var waiting: [StoreIdentifier: ArraySlice<Waiting>] = [:]
  /// All of them in the order of our own history.
  private var ordered: ArraySlice<Waiting> = []
  /// How far the source is known to know what others made.
  private(set) var seen: [StoreIdentifier: Int64]

  /// Begins with no row.
  ///
  /// - Parameters:
  ///   - identifier: The store that is written to.
  ///   - source: The store whose history is applied.
  ///   - seen: How far the source is known to know what others made.
  init(
    of identifier: StoreIdentifier, from source: StoreIdentifier, seen: [StoreIdentifier: Int64]
  ) {
    self.identifier = identifier
    self.source = source
    self.seen = seen
  }

  /// Whether no row is known to differ.
  var isEmpty: Bool { rows.isEmpty }

  /// The row at a place; nil where both agree.
  subscript(place: RowPlace) -> Row? { rows[place] }

  /// Takes in a transaction of our own history.
  ///
  /// - Parameters:
  ///   - transaction: The transaction.
  ///   - row: The row of the history after which it begins.
  ///   - sequences: Where each of its changes stands.
  /// - Complexity: O(*n*) for *n* bytes in its changes.
  mutating func take(
    _ transaction: HistoryTransaction, after row: Int64, _ sequences: [Int64]
  ) {
    let origin = transaction.origin ?? identifier
    var entry = Entry(
      origin: origin, originSequence: transaction.originSequence ?? 0,
      sequence: row + 1, madeAt: transaction.record.arrival?.madeAt ?? transaction.timestamp,
      before: RowBase(exists: false))
    let isTheirs = origin == source || transaction.record.arrival?.source == source
    for (change, sequence) in zip(transaction.changes, sequences) {
      if transaction.origin == nil { entry.originSequence = sequence }
      if isTheirs {
        rows[change.place] = nil
        if let moved = change.movedPlace { rows[moved] = nil }
      } else if seen[origin, default: 0] < entry.originSequence {
        take(change, entry)
      }
    }
  }

  private mutating func take(_ change: HistoryChange, _ entry: Entry) {
    var entry = entry
    switch change.operation {
    case .insert: break
    case .update: entry.before = RowBase(change.before, isComplete: false)
    case .delete: entry.before = RowBase(change.before, isComplete: !change.before.isEmpty)
    }
    let place = change.place
    entry.isMove = change.movedPlace != nil
    add(entry, at: place)
    if let moved = change.movedPlace {
      entry.before = RowBase(exists: false)
      add(entry, at: moved)
    }
  }

  private mutating func add(_ entry: Entry, at place: RowPlace) {
    var entries = rows[place]?.entries ?? []
    if entries.count >= Self.entryLimit {
      // Two become one that is known only once the later is.
      var joined = entries[1]
      joined.sequence = entries[0].sequence
      joined.before = entries[0].before
      joined.before.fill(from: entries[1].before)
      joined.isMove = joined.isMove || entries[0].isMove
      entries.replaceSubrange(0..<2, with: [joined])
    }
    entries.append(entry)
    rows[place] = Row(entries: entries, kept: rows[place]?.kept)
    let next = Waiting(
      place: place, originSequence: entry.originSequence, sequence: entry.sequence)
    waiting[entry.origin, default: []].append(next)
    ordered.append(next)
  }

  /// The source is seen to know what a store made up to a sequence.
  ///
  /// - Returns: The places at which both agree since, and whose base was kept.
  /// - Complexity: O(*n*) for *n* changes that it is newly known to know.
  mutating func sees(_ sequence: Int64, of origin: StoreIdentifier) -> [RowPlace] {
    guard sequence > seen[origin, default: 0] else { return [] }
    seen[origin] = sequence
    var agreed: [RowPlace] = []
    while let next = waiting[origin]?.first, next.originSequence <= sequence {
      waiting[origin]?.removeFirst()
      guard var row = rows[next.place] else { continue }
      row.entries.removeAll { $0.origin == origin && $0.originSequence <= sequence }
      if row.entries.isEmpty, row.kept != nil { agreed.append(next.place) }
      rows[next.place] = row.entries.isEmpty ? nil : row
    }
    return agreed
  }

  /// The source has made a change that was not applied here, or that is the effect there of what is
  /// known here.
  ///
  /// - Returns: What is to be kept of the row; nil where history goes on telling it.
  mutating func follow(_ change: HistoryChange, mustKeep: Bool) -> [(RowPlace, RowBase)] {
    var kept: [(RowPlace, RowBase)] = []
    let place = change.place
    let moved = change.movedPlace
    if let row = rows[place], mustKeep || row.kept != nil {
      var base = row.base
      if moved == nil { base.follow(change) } else { base = RowBase(exists: false) }
      kept.append((place, base))
    }
    if let moved, let row = rows[moved], mustKeep || row.kept != nil {
      var base = RowBase(change.after, isComplete: false)
      if let old = rows[place]?.base { base.fill(from: old) }
      kept.append((moved, base))
    }
    for (place, base) in kept { rows[place]?.kept = base }
    return kept
  }

  /// Both agree at a place.
  ///
  /// - Returns: Whether what the source has was kept.
  mutating func agree(at place: RowPlace) -> Bool {
    rows.removeValue(forKey: place)?.kept != nil
  }

  /// The source has something else at a place than history tells.
  mutating func keep(_ base: RowBase, at place: RowPlace) { rows[place]?.kept = base }

  /// The row of our own history before which everything agrees; where nothing differs, its head.
  mutating func agreed(head: Int64) -> Int64 {
    guard !rows.isEmpty else {
      waiting = [:]
      ordered = []
      return head
    }
    while let next = ordered.first {
      if let row = rows[next.place], row.entries[0].sequence <= next.sequence {
        return next.sequence - 1
      }
      ordered.removeFirst()
    }
    return head
  }
}
