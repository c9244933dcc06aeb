import HistoryModel

/// Where in a carrier's messages to begin to read.
struct RelayPlace: Equatable {
  /// The sequence after which to begin.
  var after: UInt64
  /// The position at which the next message begins; nil where it begins a run.
  var position: HistoryToken?
}

/// Finds the place in a carrier's messages at which a position is.
///
/// Positions grow from message to message within a run, so it halves what is left, and reads about as
/// many messages as the number of all messages has binary digits.
struct RelaySearch {
  let source: any RelaySource
  let last: StoredMessage
  private var first: StoredMessage

  /// Begins to search in the last run.
  ///
  /// - Throws: `RelayFailure`.
  nonisolated(nonsending) init(
    _ source: any RelaySource, last: StoredMessage
  ) async throws(RelayFailure) {
    self.source = source
    self.last = last
    first = try await source.message(from: last.base + 1) ?? last
  }

  /// Whether the beginning of the run is still there.
  var hasBeginning: Bool { first.isFirst }

  /// The place at which the run begins.
  var beginning: RelayPlace { RelayPlace(after: last.base) }

  /// The position of the run's rows; nil when it has none, or their end is not there.
  nonisolated(nonsending) func endOfRows() async throws(RelayFailure) -> HistoryToken? {
    guard last.message.beginning != .new, first.message.from == .rows else { return nil }
    return try await smallest { _ in true }?.message.to.position?.token
  }

  /// Whether a position is after the run's rows for certain, where what is left begins after them.
  func isAfterRows(_ held: HistoryToken) -> Bool {
    first.message.from.position.map { held > $0.token } ?? false
  }

  /// Finds the place to begin at for who has everything up to a position.
  ///
  /// - Parameter held: The position.
  /// - Returns: The place, at or before the position; nil when messages in between are not there.
  /// - Throws: `RelayFailure`.
  nonisolated(nonsending) func place(of held: HistoryToken) async throws(RelayFailure)
    -> RelayPlace?
  {
    guard let end = last.message.to.position else { return nil }
    var wanted = min(held.sequence, end.token.sequence)
    // Once more where it is inside a part of a transaction.
    for _ in 0..<2 {
      let sequence = wanted
      guard let found = try await smallest({ $0.sequence >= sequence }) else { return nil }
      if let to = found.message.to.position, to.isBoundary, to.token.sequence == wanted {
        return RelayPlace(after: found.sequence, position: to.token)
      }
      guard let from = found.message.from.position, from.token.sequence <= held.sequence else {
        return nil
      }
      if from.isBoundary {
        if found.isFirst { return beginning }
        return RelayPlace(after: found.sequence - 1, position: from.token)
      }
      wanted = from.token.sequence
    }
    return nil
  }

  /// The first message of the run that ends at a position that fulfils a condition, which all later
  /// ones fulfil, too.
  private nonisolated(nonsending) func smallest(
    _ condition: (HistoryToken) -> Bool
  ) async throws(RelayFailure) -> StoredMessage? {
    func fulfils(_ message: StoredMessage) -> Bool {
      message.message.to.position.map { condition($0.token) } ?? false
    }
    guard fulfils(last) else { return nil }
    var found = last
    if fulfils(first) { return first }
    // Messages up to `low` do not fulfil it; from `high` on there is none before the one found.
    var (low, high) = (first.sequence, last.sequence)
    while low + 1 < high {
      let middle = low + (high - low) / 2
      let message = try await source.message(from: middle)
      if let message, message.sequence < high, !fulfils(message) {
        low = message.sequence
      } else {
        if let message, message.sequence < high { found = message }
        high = middle
      }
    }
    return found
  }
}
