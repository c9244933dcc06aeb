import HistoryModel

/// Packs the lines of a stream into messages.
///
/// A message has whole transactions, as many as have room; or it is a part of one transaction that
/// has none, and of nothing else. So each transaction begins where a message begins or lies whole in
/// one, and whoever reads need never begin inside a line.
struct RelayPacker {
  /// How many bytes the body of a message may have.
  let limit: Int
  private(set) var position: RelayPosition
  /// Lines that were taken in and not given out.
  private var buffer: [UInt8] = []
  /// The ends of lines in the buffer that end a transaction, and the position after each.
  private var boundaries: [(end: Int, token: HistoryToken)] = []
  /// What of the transaction at ``position`` is out already, and is passed over when it is read again.
  private var passing: RelayPosition?
  /// How many lines were passed over.
  private var passed = 0

  /// Begins at a place.
  ///
  /// - Parameters:
  ///   - position: The place; lines are expected from its token on.
  ///   - limit: How many bytes the body of a message may have.
  init(at position: RelayPosition, limit: Int) {
    self.position = position
    self.limit = limit
    if !position.isBoundary { passing = position }
  }

  /// How many bytes wait.
  var count: Int { buffer.count }

  /// Takes in a line.
  ///
  /// - Parameters:
  ///   - line: The line with its end.
  ///   - token: The position after it, when it ends a transaction.
  /// - Throws: `HistoryError` with code `historyTokenExpired` when what is out already is not how the
  ///   transaction begins.
  mutating func take(_ line: [UInt8], endsAt token: HistoryToken?) throws(HistoryError) {
    guard let place = passing else {
      buffer += line
      if let token { boundaries.append((buffer.count, token)) }
      return
    }
    if passed < place.lines {
      passed += 1
      // The transaction was longer when its first part was given out.
      guard token == nil else { throw .relayRestored() }
      if passed == place.lines, place.bytes == 0 { passing = nil }
      return
    }
    guard line.count > place.bytes else { throw .relayRestored() }
    passing = nil
    buffer += line[place.bytes...]
    if let token { boundaries.append((buffer.count, token)) }
  }

  /// Takes out the next message.
  ///
  /// - Parameter isFlushing: Whether to give out also what does not fill a message.
  /// - Returns: Its body and where it ends; nil when more has to be taken in first.
  mutating func next(isFlushing: Bool) -> (body: [UInt8], from: RelayPosition, to: RelayPosition)? {
    guard !buffer.isEmpty, isFlushing || buffer.count >= limit else { return nil }
    let from = position
    let end: Int
    if position.isBoundary {
      guard let last = boundaries.lastIndex(where: { $0.end <= limit }) else {
        return part(from)
      }
      end = boundaries[last].end
      position = RelayPosition(boundaries[last].token)
      boundaries.removeFirst(last + 1)
    } else {
      guard let first = boundaries.first, first.end <= limit else { return part(from) }
      end = first.end
      position = RelayPosition(first.token)
      boundaries.removeFirst()
    }
    return (take(end), from, position)
  }

  /// Takes out a part of the transaction that the buffer begins with.
  private mutating func part(
    _ from: RelayPosition
  ) -> (body: [UInt8], from: RelayPosition, to: RelayPosition)? {
    let most = min(limit, buffer.count)
    // What may still turn out to be whole waits for its end.
    if boundaries.isEmpty, buffer.count < limit { return nil }
    let newline = UInt8(ascii: "\n")
    if let last = buffer[..<most].lastIndex(of: newline) {
      let lines = buffer[...last].count(where: { $0 == newline })
      position = RelayPosition(position.token, lines: position.lines + lines)
      return (take(last + 1), from, position)
    }
    position.bytes += most
    return (take(most), from, position)
  }

  private mutating func take(_ end: Int) -> [UInt8] {
    let body = Array(buffer[..<end])
    buffer.removeFirst(end)
    for place in boundaries.indices { boundaries[place].end -= end }
    return body
  }
}
