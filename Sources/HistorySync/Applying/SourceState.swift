import HistoryModel
import HistoryStore

/// What the store that is written to knows of one source.
struct SourceState {
  let store: StoreIdentifier
  var divergences: Divergences
  /// The row of our own history up to which it was trimmed before it could tell of differences.
  private var trimmed: Int64?
  /// What nobody decided, kept for whoever asked, since the transaction was rolled back.
  var undecided: ConflictError?
  /// Up to where our own history was taken in.
  private var scanned: HistoryToken?
  /// What nobody else has committed since; nil before anything was taken in.
  private var version: Int64?
  private var agreed: Int64
  private var kept: [(place: String, base: String)]

  init(_ store: StoreIdentifier, _ replica: ReplicaStore) throws {
    self.store = store
    divergences = Divergences(
      of: replica.identifier, from: store, seen: try replica.sync.seen(by: store))
    agreed = try replica.sync.entry(of: store).agreed
    kept = try replica.sync.bases(of: store)
  }

  /// Whether history that would tell of differences was trimmed.
  ///
  /// What the source has seen differs no more: who follows us to a row has all that came before it.
  var isTrimmed: Bool {
    trimmed.map { $0 > divergences.seen[divergences.identifier, default: 0] } ?? false
  }

  /// Takes in what was written to our own history since, inside a write.
  ///
  /// - Complexity: O(*n*) for *n* rows written since.
  mutating func catchUp(_ replica: ReplicaStore) throws {
    // Not by the number of the newest row, which a restored store gives again.
    let version = try replica.othersVersion()
    if version == self.version { return }
    let start: HistoryToken
    if let scanned {
      start = scanned
    } else {
      start = try replica.position(at: agreed)
      trimmed = start.sequence > agreed ? start.sequence : nil
    }
    var row = start.sequence
    let reader = try HistoryReader(replica.store, after: start)
    var reading = ReadingState.more
    // A run of untagged changes may be known in part, so each change counts by itself.
    var sequences: [Int64] = []
    var collector = TransactionCollector()
    var whole: [[Int64]] = []
    while reading == .more {
      reading = try reader.readInTransaction { item in
        switch item {
        case .change(let change, let index, _):
          collector.append(change, in: reader.values, index: index)
          sequences.append(reader.sequence)
        case .commit(let record, _, let token):
          collector.commit(record, token: token)
          whole.append(sequences)
          sequences = []
          if collector.size > 1 << 20 { return .pause }
        case .notice: break
        }
        return .goOn
      }
      // A page may end inside a transaction.
      guard collector.isWhole else { continue }
      for (transaction, sequences) in zip(collector.transactions(), whole) {
        divergences.take(transaction, after: row, sequences)
        row = transaction.token.sequence
      }
      collector = TransactionCollector()
      whole = []
    }
    if case .expired = reading {
      // Our own history was trimmed meanwhile. What is left tells what it would at a fresh start.
      guard scanned != nil else {
        trimmed = .max
        return
      }
      self = try SourceState(store, replica)
      return try catchUp(replica)
    }
    scanned = reader.token
    self.version = version
    for (place, base) in kept {
      // Without it a later conflict would be decided from a wrong row.
      guard let place = RowPlace(place), let base = RowBase(base) else {
        throw HistoryError.unreadableBase()
      }
      divergences.keep(base, at: place)
    }
    kept = []
  }

  /// What was written has committed; it is the source's own and need not be read.
  mutating func committed(_ head: HistoryToken?) {
    if let head, head.sequence > scanned?.sequence ?? -1 { scanned = head }
  }
}
