import HistoryModel
import HistorySync
import HistoryTestSupport

/// A server of carriers that misbehaves on purpose, as often as it is told to.
///
/// It loses requests and answers, breaks connections, forgets in a crash what it had not synced, and
/// then uses the same sequences again, and delivers messages twice. It never stores a message that
/// does not follow the one that it was to follow.
final class MemoryServer {
  private var messages: [(store: StoreIdentifier, stored: StoredMessage)] = []
  private var nextSequence: UInt64 = 1
  /// How many messages a crash cannot take.
  private var synced = 0
  /// Connections of an earlier number are broken.
  fileprivate var generation = 0
  fileprivate var generator: SeededGenerator
  /// How many of a hundred requests go wrong.
  var mischief = 0
  /// How many crashes there were that lost something.
  private(set) var losses = 0

  init(seed: UInt64 = 1) { generator = SeededGenerator(seed: seed) }

  fileprivate func goesWrong() -> Bool { Int.random(in: 0..<100, using: &generator) < mischief }

  /// Loses what was not synced, and every connection.
  func crash() {
    let kept = Int.random(in: min(synced, messages.count)...messages.count, using: &generator)
    if kept < messages.count { losses += 1 }
    messages.removeLast(messages.count - kept)
    nextSequence = (messages.last?.stored.sequence ?? 0) + 1
    generation += 1
  }

  /// How many messages are stored.
  var count: Int { messages.count }

  /// Drops the oldest messages, as a limit of a stream does.
  func expire(keeping count: Int) {
    messages.removeFirst(max(0, messages.count - count))
    synced = min(synced, messages.count)
  }

  fileprivate func ofStore(_ store: StoreIdentifier) -> [StoredMessage] {
    messages.filter { $0.store == store }.map(\.stored)
  }

  fileprivate func append(
    _ message: RelayMessage, _ store: StoreIdentifier, expecting sequence: UInt64
  ) throws(RelayFailure) -> UInt64 {
    guard ofStore(store).last?.sequence ?? 0 == sequence else { throw .refused }
    var kept = message
    kept.base = message.base ?? sequence
    messages.append(
      (store, StoredMessage(sequence: nextSequence, previous: sequence, message: kept)))
    if Int.random(in: 0..<4, using: &generator) == 0 { synced = messages.count }
    nextSequence += 1
    return nextSequence - 1
  }
}

/// A connection to such a server.
final class MemoryCarrier: RelayCarrier, RelaySource {
  let bodyLimit = 3 << 10
  private let server: MemoryServer
  private let store: StoreIdentifier
  private var generation: Int
  private var position: UInt64 = 0

  init(_ server: MemoryServer, _ store: StoreIdentifier) {
    self.server = server
    self.store = store
    generation = server.generation
  }

  var loss: HistoryError? {
    generation == server.generation ? nil : HistoryError(.temporary, "the server crashed")
  }

  /// Lets a request go wrong, perhaps.
  private func tryLuck() throws(RelayFailure) {
    if let loss { throw .lost(loss) }
    guard server.goesWrong() else { return }
    if Bool.random(using: &server.generator) { server.crash() }
    throw .lost(HistoryError(.temporary, "the request is lost"))
  }

  func lastStored() async throws(RelayFailure) -> StoredMessage? {
    try tryLuck()
    return server.ofStore(store).last
  }

  func oldest() async throws(RelayFailure) -> StoredMessage? {
    try tryLuck()
    return server.ofStore(store).first
  }

  func append(
    _ message: RelayMessage, expecting sequence: UInt64
  ) async throws(RelayFailure) -> UInt64 {
    try tryLuck()
    let stored = try server.append(message, store, expecting: sequence)
    // The answer may be lost, or the message before anybody gets it.
    try tryLuck()
    return stored
  }

  func message(from sequence: UInt64) async throws(RelayFailure) -> StoredMessage? {
    try tryLuck()
    return server.ofStore(store).first { $0.sequence >= sequence }
  }

  func begin(after sequence: UInt64) async throws(RelayFailure) {
    try tryLuck()
    position = sequence
  }

  func next() async throws(RelayFailure) -> StoredMessage? {
    try tryLuck()
    let all = server.ofStore(store)
    if server.goesWrong() { return all.last { $0.sequence <= position } }
    guard let next = all.first(where: { $0.sequence > position }) else { return nil }
    position = next.sequence
    return next
  }

  func close() { generation = -1 }
}
