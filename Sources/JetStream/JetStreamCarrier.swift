#if NATS
  package import HistoryModel
  package import HistorySync

  /// A subject of a JetStream stream that a store's messages are appended to.
  ///
  /// Each message is stored only if the last one of the subject is the one that its relay has seen. So
  /// one message is on its way at a time: the sequence of the next is not known before, since other
  /// stores may share the stream, and a cluster judges only what it has stored.
  package final class JetStreamCarrier: RelayCarrier {
    private let api: JetStreamAPI
    private let subject: String
    package let bodyLimit: Int
    package var loss: HistoryError? { api.loss }
    private static let wrongLast: Set<Int64> = [10071, 10164]
    /// What the fields of a message's header take, at most.
    private static let headerSize = 1 << 10

    /// Takes a connection that stands.
    ///
    /// - Parameters:
    ///   - api: The connection.
    ///   - store: The store whose messages are appended.
    /// - Throws: `RelayFailure` when there is no such stream, or it does not take the subject.
    package nonisolated(nonsending) init(
      _ api: JetStreamAPI, of store: StoreIdentifier
    ) async throws(RelayFailure) {
      self.api = api
      subject = api.options.subject(of: store)
      let config = try await api.info(mayCreate: true)["config"]
      let filters = config?["subjects"]?.array?.compactMap(\.string) ?? []
      let subject = subject
      guard filters.contains(where: { JetStreamOptions.matches($0, subject) }) else {
        throw .failed(.otherSubjects(api.options, "\(subject)"))
      }
      let limit = config?["max_msg_size"]?.integer ?? -1
      let most = limit > 0 ? min(Int(limit), api.connection.maxPayload) : api.connection.maxPayload
      bodyLimit = most - Self.headerSize
    }

    package nonisolated(nonsending) func lastStored() async throws(RelayFailure) -> StoredMessage? {
      try await api.message(["last_by_subj": .string(subject)])
    }

    package nonisolated(nonsending) func oldest() async throws(RelayFailure) -> StoredMessage? {
      try await api.message(["seq": 1, "next_by_subj": .string(subject)])
    }

    package nonisolated(nonsending) func append(
      _ message: RelayMessage, expecting sequence: UInt64
    ) async throws(RelayFailure) -> UInt64 {
      let fields = JetStreamFields.fields(
        message, after: sequence, subject: subject, stream: api.options.address.stream)
      let answer = try api.answer(
        await api.connection.ask(subject, fields: fields, message.body))
      if let fault = JetStreamAPI.Fault(answer) {
        if Self.wrongLast.contains(fault.number) { throw .refused }
        throw fault.failure
      }
      // Something follows that message already; what, is to be looked at.
      if answer["duplicate"]?.boolean == true { throw .refused }
      guard let stored = answer["seq"]?.integer, stored > 0 else {
        throw .lost(.noAnswerInJSON(api.options.address.hosts))
      }
      return UInt64(stored)
    }

    package func close() { api.close() }
  }
#endif
