#if NATS
  package import HistoryModel
  package import HistorySync

  /// A subject of a JetStream stream that a store's messages are read from, in order.
  ///
  /// The server sends only what it is asked for, some messages at a time. It forgets by itself for whom
  /// it does so, soon after nobody asks any more.
  package final class JetStreamSource: RelaySource {
    private let api: JetStreamAPI
    private let subject: String
    /// The server's name for what it sends.
    private var consumer: String?
    /// How many messages were asked for and did not come.
    private var expected = 0

    /// How many messages are asked for at a time.
    private static let batch = 8
    /// How long the server waits for messages, and how often it says meanwhile that it is there.
    private static let (wait, heartbeat): (Int64, Int64) = (30, 5)

    /// Takes a connection that stands.
    ///
    /// - Parameters:
    ///   - api: The connection.
    ///   - store: The store whose messages are read.
    package init(_ api: JetStreamAPI, of store: StoreIdentifier) {
      self.api = api
      subject = api.options.subject(of: store)
    }

    package nonisolated(nonsending) func lastStored() async throws(RelayFailure) -> StoredMessage? {
      try await api.message(["last_by_subj": .string(subject)])
    }

    package nonisolated(nonsending) func message(
      from sequence: UInt64
    ) async throws(RelayFailure) -> StoredMessage? {
      try await api.message([
        "seq": .integer(Int64(sequence)), "next_by_subj": .string(subject),
      ])
    }

    package nonisolated(nonsending) func begin(after sequence: UInt64) async throws(RelayFailure) {
      let stream = api.options.address.stream
      let answer = try await api.ask(
        "CONSUMER.CREATE.\(stream)",
        [
          "stream_name": .string(stream),
          "config": [
            "deliver_policy": "by_start_sequence", "opt_start_seq": .integer(Int64(sequence) + 1),
            "ack_policy": "none", "replay_policy": "instant", "filter_subject": .string(subject),
            "mem_storage": true, "inactive_threshold": 60_000_000_000,
          ],
        ])
      if let fault = JetStreamAPI.Fault(answer) { throw fault.failure }
      guard let name = answer["name"]?.string else {
        throw .lost(.noAnswerInJSON(api.options.address.hosts))
      }
      consumer = name
      expected = 0
      api.connection.dropDeliveries()
    }

    package nonisolated(nonsending) func next() async throws(RelayFailure) -> StoredMessage? {
      guard let consumer else { return nil }
      if expected == 0 { ask(consumer) }
      let patience = Duration.seconds(2 * Self.heartbeat + 1)
      guard let message = try await api.connection.delivery(within: patience) else {
        // What sends them is gone, with a server of the cluster perhaps.
        throw .lost(.connectionLost(api.options.address.hosts))
      }
      if let status = message.status {
        // 100 says that it is still there; anything else ends what was asked for.
        if status != "100" { expected = 0 }
        if status == "409" || status == "503" {
          throw .lost(.connectionLost(api.options.address.hosts))
        }
        return nil
      }
      // $JS.ACK.STREAM.CONSUMER.DELIVERED.SEQUENCE…, with two words more before it in newer servers.
      let words = message.reply.split(separator: ".")
      let shift = words.count >= 11 ? 2 : 0
      guard words.count >= 9, words[3 + shift] == consumer, let sequence = UInt64(words[5 + shift])
      else { return nil }
      expected = max(0, expected - 1)
      guard
        let stored = JetStreamFields.message(
          message.fields, body: message.body, sequence: sequence, age: .zero)
      else { throw .failed(.notFromARelay(subject)) }
      return stored
    }

    private func ask(_ consumer: String) {
      expected = Self.batch
      var body: [UInt8] = []
      JSONText.append(
        [
          "batch": .integer(Int64(Self.batch)), "expires": .integer(Self.wait * 1_000_000_000),
          "idle_heartbeat": .integer(Self.heartbeat * 1_000_000_000),
        ], to: &body)
      api.connection.send(
        "$JS.API.CONSUMER.MSG.NEXT.\(api.options.address.stream).\(consumer)",
        reply: api.connection.deliverySubject, body)
    }

    package func close() { api.close() }
  }
#endif
