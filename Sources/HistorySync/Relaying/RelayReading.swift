import HistoryModel
import HistoryStore

/// Reads a store's lines from where its carrier stands, packed into messages.
final class RelayReading {
  /// What a step brought.
  enum Step {
    /// A message.
    case message(RelayMessage)
    /// Nothing yet.
    case more
    /// There is nothing more.
    case head
  }

  /// After how many rows of history in which nothing was to be shown to say so, so that the position
  /// of a carrier does not expire.
  private static let silence: Int64 = 10_000

  let beginning: RelayBeginning
  /// The sequence before the run of messages; nil as long as its first is not stored.
  var base: UInt64?
  private let store: TrackedStore
  private let limit: Int
  private var rows: RelayRows?
  private var reader: HistoryReader?
  private var packer: RelayPacker
  private var lines = LineEncoder()
  /// What the first message begins with.
  private var greeting: [UInt8] = []
  private var isAtHead = false

  /// What the page that last came to the head saw of the store.
  var versionAtHead: StoreVersion? { reader?.versionAtHead }

  /// Goes on at a place.
  init(
    _ store: TrackedStore, at position: RelayPosition, _ beginning: RelayBeginning, base: UInt64,
    limit: Int
  ) {
    self.store = store
    self.beginning = beginning
    self.base = base
    self.limit = limit
    packer = RelayPacker(at: position, limit: limit)
  }

  /// Begins anew, with the history or with the rows.
  init(
    _ store: TrackedStore, _ beginning: RelayBeginning, _ state: StoreState, limit: Int
  ) throws(HistoryError) {
    self.store = store
    self.beginning = beginning
    self.limit = limit
    packer = RelayPacker(at: RelayPosition(state.oldest), limit: limit)
    if beginning == .new {
      lines.hello(.new, token: state.oldest, oldest: state.oldest, head: state.head)
      swap(&greeting, &lines.bytes)
    } else {
      let rows = try RelayRows(store, oldest: state.oldest)
      self.rows = rows
      packer = RelayPacker(at: RelayPosition(rows.token), limit: limit)
    }
  }

  /// Reads a page, or takes a message out of what was read.
  func step() throws(HistoryError) -> Step {
    if let rows {
      guard try rows.read() else { return .more }
      let (body, isLast) = try rows.next(limit)
      if isLast { self.rows = nil }
      return .message(
        RelayMessage(
          beginning, base: base, from: .rows, to: isLast ? .at(packer.position) : .rows,
          body: body))
    }
    if let next = packer.next(isFlushing: isAtHead) {
      defer { greeting = [] }
      return .message(
        RelayMessage(
          beginning, base: base, from: .at(next.from), to: .at(next.to),
          body: greeting.isEmpty ? next.body : greeting + next.body))
    }
    if isAtHead {
      isAtHead = false
      return .head
    }
    try readPage()
    return .more
  }

  private func readPage() throws(HistoryError) {
    let reader =
      if let reader { reader } else {
        try HistoryReader(store, after: packer.position.token)
      }
    self.reader = reader
    var failure: HistoryError?
    let state = try reader.read { item in
      do throws(HistoryError) {
        try take(item, reader)
      } catch {
        failure = error
        return .pause
      }
      return packer.count >= limit ? .pause : .goOn
    }
    if let failure { throw failure }
    switch state {
    case .more: break
    case .atHead, .atEnd:
      isAtHead = true
      let silent = reader.token.sequence - packer.position.token.sequence
      if packer.count == 0, packer.position.isBoundary, silent >= Self.silence {
        lines.bookmark(reader.token)
        try give(endsAt: reader.token)
      }
    case .expired(let reason): throw .relayExpired(reason)
    }
  }

  private func take(_ item: HistoryItem, _ reader: HistoryReader) throws(HistoryError) {
    switch item {
    case .change(let change, let index, let transaction):
      lines.change(change, in: reader.values, index: index, of: transaction)
      try give(endsAt: nil)
    case .commit(let transaction, let changes, let token):
      lines.commit(transaction, changes: changes, token: token)
      try give(endsAt: token)
    case .notice(let notice, let token):
      lines.notice(notice, token: token)
      try give(endsAt: token)
    }
  }

  private func give(endsAt token: HistoryToken?) throws(HistoryError) {
    try packer.take(lines.bytes, endsAt: token)
    lines.bytes.removeAll(keepingCapacity: true)
  }
}
