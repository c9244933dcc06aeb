import HistoryModel

/// A subscription to whole transactions.
///
/// It asks for a line for each change, not for each transaction: neither side then has to hold a
/// large transaction as one text, and half of one that a connection broke in is simply dropped.
struct TransactionContent: SubscriptionContent {
  private static let name = "transactions"

  private let database: String?
  private let filter: ChangeFilter
  /// Where to go on: what it was asked for, until a line said more.
  private var position: HistoryPosition
  private var decoder = LineDecoder()
  private var assembler = TransactionAssembler()
  private var expiry: StreamLine.Expiry?

  init(database: String?, after position: HistoryPosition, filter: ChangeFilter) {
    self.database = database
    self.position = position
    self.filter = filter
  }

  var requests: [ClientRequest] {
    var request = ClientRequest(
      "subscribe",
      [
        "subscription": .string(Self.name), "database": database.map { .string($0) },
        "since": .string(ClientRequest.text(position)),
      ])
    request.add(filter)
    return [request]
  }

  mutating func take(
    _ line: JSONValue
  ) throws(LineError) -> SubscriptionOutcome<HistoryTransaction> {
    switch try decoder.decode(line) {
    case .hello(let hello):
      // From now on "now" is this position, whenever the connection breaks.
      position = .after(hello.token)
      return .nothing
    case .change(let change):
      try assembler.append(change)
      return .nothing
    case .commit(let record, let changes, let token):
      let transaction = try assembler.commit(record, changes: changes, token: token)
      position = .after(token)
      return .element(transaction)
    case .transaction(let transaction):
      position = .after(transaction.token)
      return .element(transaction)
    case .bookmark(let token):
      position = .after(token)
      return .progress
    case .notice(_, let token):
      if let token { position = .after(token) }
      return .progress
    case .expired(let expiry):
      self.expiry = expiry
      return .nothing
    case .bye(let bye): return SubscriptionOutcome(bye, after: expiry)
    case .snapshotBegin, .row, .snapshotEnd, .unknown: return .nothing
    }
  }

  mutating func connectionLost() {
    assembler.dropUnfinished()
    expiry = nil
  }
}
