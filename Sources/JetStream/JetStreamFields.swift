#if NATS
  package import HistoryModel
  package import HistorySync

  /// The fields in the header of a relay's message.
  package enum JetStreamFields {
    static let from = "Historywatch-From"
    static let to = "Historywatch-To"
    static let beginning = "Historywatch-Beginning"
    static let base = "Historywatch-Base"
    static let expected = "Nats-Expected-Last-Subject-Sequence"
    /// Those that are read, and what the server tells.
    static let all = [from, to, beginning, base, expected, "Status"]

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

    /// Reads a message as the server answers with it, without its body.
    ///
    /// - Parameters:
    ///   - message: The answer's message.
    ///   - now: The time of day, in milliseconds since 1970.
    /// - Returns: The message; nil when it is not a relay's.
    package static func stored(_ message: JSONValue, now: Int64) -> StoredMessage? {
      guard let sequence = message["seq"]?.integer.flatMap({ UInt64(exactly: $0) }) else {
        return nil
      }
      let header = message["hdrs"]?.string.flatMap { Base64.decode($0.utf8, .standard) } ?? []
      // The server tells nanoseconds.
      let time = message["time"]?.string?.split(separator: ".").first.flatMap {
        CalendarTime($0.filter { $0 != "Z" } + ".000Z")
      }
      let age = time.map { Duration.milliseconds(now - $0.milliseconds) }
      return self.message(
        parse(String(decoding: header, as: UTF8.self)), body: [], sequence: sequence,
        age: max(.zero, age ?? .zero))
    }

    /// Reads a message's fields.
    ///
    /// Sequences are those of what one message follows: each greater than the one before, and small
    /// enough to be counted on from.
    ///
    /// - Returns: The message; nil when it is not a relay's.
    static func message(
      _ fields: [String: String], body: [UInt8], sequence: UInt64, age: Duration
    ) -> StoredMessage? {
      guard let from = fields[from].flatMap({ RelayMark($0) }),
        let to = fields[to].flatMap({ RelayMark($0) }),
        let beginning = fields[beginning].flatMap({ RelayBeginning(rawValue: $0) }),
        let base = fields[base].flatMap({ UInt64($0) }),
        let previous = fields[expected].flatMap({ UInt64($0) }), base <= previous,
        previous < sequence, sequence < UInt64(Int64.max)
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
