#if NATS
  import HistoryModel
  import HistorySync

  /// The fields in the header of a relay's message.
  enum JetStreamFields {
    static let from = "Historywatch-From"
    static let to = "Historywatch-To"
    static let beginning = "Historywatch-Beginning"
    static let base = "Historywatch-Base"
    static let expected = "Nats-Expected-Last-Subject-Sequence"
    /// Those that are read, and what the server tells.
    static let all = [from, to, beginning, base, expected, "Status", "Description"]

    /// The fields of a message.
    ///
    /// The identifier is not of the message but of its place: whatever else claims to follow the same
    /// message is the same to a server that looks for what came twice.
    static func fields(
      _ message: RelayMessage, after sequence: UInt64, subject: String, stream: String
    ) -> [(String, String)] {
      [
        (beginning, message.beginning.rawValue), (base, "\(message.base ?? sequence)"),
        (from, "\(message.from)"), (to, "\(message.to)"), (expected, "\(sequence)"),
        ("Nats-Expected-Stream", stream), ("Nats-Msg-Id", "\(subject):\(sequence)"),
      ]
    }

    /// Reads a message's fields.
    ///
    /// - Returns: The message; nil when it is not a relay's.
    static func message(
      _ fields: [String: String], body: [UInt8], sequence: UInt64, age: Duration
    ) -> StoredMessage? {
      guard let from = fields[from].flatMap({ RelayMark($0) }),
        let to = fields[to].flatMap({ RelayMark($0) }),
        let beginning = fields[beginning].flatMap({ RelayBeginning(rawValue: $0) }),
        let base = fields[base].flatMap({ UInt64($0) }),
        let previous = fields[expected].flatMap({ UInt64($0) })
      else { return nil }
      return StoredMessage(
        sequence: sequence, previous: previous,
        message: RelayMessage(beginning, base: base, from: from, to: to, body: body), age: age)
    }

    /// Takes apart the text of a header as the server keeps it.
    static func parse(_ text: String) -> [String: String] {
      var fields: [String: String] = [:]
      for line in text.split(separator: "\r\n").dropFirst() {
        guard let colon = line.firstIndex(of: ":") else { continue }
        let value = line[line.index(after: colon)...].drop { $0 == " " }
        fields[String(line[..<colon])] = String(value)
      }
      return fields
    }
  }
#endif
