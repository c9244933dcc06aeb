import HistoryModel

/// Where a message begins or ends.
package enum RelayMark: Hashable, Sendable {
  /// Among the rows of a snapshot, which nobody but who began it can go on with.
  case rows
  /// At a place of the history.
  case at(RelayPosition)

  /// The place, unless it is among rows.
  package var position: RelayPosition? {
    if case .at(let position) = self { position } else { nil }
  }
}

extension RelayMark: CustomStringConvertible {
  package var description: String {
    switch self {
    case .rows: "rows"
    case .at(let position): position.description
    }
  }

  package init?(_ text: some StringProtocol) {
    if text == "rows" {
      self = .rows
    } else {
      guard let position = RelayPosition(text) else { return nil }
      self = .at(position)
    }
  }
}

/// How a run of messages begins, of which each continues the one before.
package enum RelayBeginning: String, Sendable {
  /// With the history's first transaction.
  case new
  /// With the rows of a snapshot, since the history does not reach back any more.
  case snapshot
  /// With the rows of a snapshot, since somebody asked for a new beginning: what came before does
  /// not lead here.
  case reset
}

/// One message: some lines of a stream, and what whoever goes on after it has to know.
package struct RelayMessage: Hashable, Sendable {
  /// How the run began that it belongs to.
  package var beginning: RelayBeginning
  /// The sequence of the last message before the run; nil in the run's first message.
  package var base: UInt64?
  /// Where it begins.
  package var from: RelayMark
  /// Where it ends.
  package var to: RelayMark
  /// The lines.
  package var body: [UInt8]

  package init(
    _ beginning: RelayBeginning, base: UInt64?, from: RelayMark, to: RelayMark, body: [UInt8]
  ) {
    self.beginning = beginning
    self.base = base
    self.from = from
    self.to = to
    self.body = body
  }
}

/// A message as a carrier has it.
package struct StoredMessage: Hashable, Sendable {
  /// Its place among all messages of the carrier, from 1.
  package var sequence: UInt64
  /// The place of the message of the same store before it, which it was appended after; 0 when there
  /// was none.
  package var previous: UInt64
  /// The message.
  package var message: RelayMessage
  /// How long ago it was stored, as far as clocks agree.
  package var age: Duration

  package init(
    sequence: UInt64, previous: UInt64, message: RelayMessage, age: Duration = .zero
  ) {
    self.sequence = sequence
    self.previous = previous
    self.message = message
    self.age = age
  }

  /// The sequence of the last message before its run.
  package var base: UInt64 { message.base ?? previous }
  /// Whether its run begins with it.
  package var isFirst: Bool { base == previous }
}
