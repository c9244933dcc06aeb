#if NATS
  package import EventLoop
  package import HistoryModel
  package import HistorySync

  /// What a stream is asked for, beside the messages: requests and answers in JSON.
  package final class JetStreamAPI {
    let options: JetStreamOptions
    let connection: NATSConnection
    private static let streamNotFound: Int64 = 10059
    private static let messageNotFound: Int64 = 10037
    private static let noPeers: Int64 = 10005
    private static let nameInUse: Int64 = 10058

    private init(_ options: JetStreamOptions, _ connection: NATSConnection) {
      self.options = options
      self.connection = connection
    }

    /// An answer of the server's that is an error.
    struct Fault {
      var code: Int64
      var number: Int64
      var text: String

      init?(_ answer: JSONValue) {
        guard let error = answer["error"] else { return nil }
        code = error["code"]?.integer ?? 500
        number = error["err_code"]?.integer ?? 0
        text = error["description"]?.string ?? "an error"
      }

      var failure: RelayFailure {
        let error = HistoryError.answered(code, text)
        return code >= 500 ? .lost(error) : .failed(error)
      }
    }

    /// Prepares a connection, so that it can be closed while it is being made.
    ///
    /// - Parameters:
    ///   - options: Where to.
    ///   - executor: The loop of whoever uses it.
    ///   - onLoss: Called on the loop when the connection is lost.
    /// - Returns: The connection, which is not made yet.
    /// - Throws: `RelayFailure` when there is no thread for it.
    package static func prepare(
      _ options: JetStreamOptions, on executor: LoopExecutor, onLoss: @escaping () -> Void = {}
    ) throws(RelayFailure) -> JetStreamAPI {
      JetStreamAPI(options, try NATSConnection(options, on: executor, onLoss: onLoss))
    }

    /// Why the connection is gone; nil as long as it is there.
    var loss: HistoryError? {
      connection.isLost ? .connectionLost(options.address.hosts) : nil
    }

    /// Connects.
    package nonisolated(nonsending) func connect() async throws(RelayFailure) {
      try await connection.connect()
    }

    /// Closes the connection; whoever waits is told that it is lost.
    package func close() { connection.close() }

    /// Asks the server.
    nonisolated(nonsending) func ask(
      _ operation: String, _ request: JSONValue? = nil
    ) async throws(RelayFailure) -> JSONValue {
      var body: [UInt8] = []
      if let request { JSONText.append(request, to: &body) }
      return try answer(await connection.ask("$JS.API.\(operation)", body))
    }

    /// Reads an answer.
    func answer(_ message: NATSMessage) throws(RelayFailure) -> JSONValue {
      let hosts = options.address.hosts
      if message.status == "503" { throw .lost(.noAnswer(hosts)) }
      guard
        let answer = try? JSONValue(parsing: message.body, limits: .init(depth: 64, bytes: 1 << 28))
      else { throw .lost(.noAnswerInJSON(hosts)) }
      return answer
    }

    /// What the server tells of the stream.
    ///
    /// - Parameters:
    ///   - filter: Of which subjects the messages are counted.
    ///   - mayCreate: Whether to create it if there is none.
    /// - Returns: Its configuration and its state.
    /// - Throws: `RelayFailure`.
    nonisolated(nonsending) func info(
      subjects filter: String? = nil, mayCreate: Bool = false
    ) async throws(RelayFailure) -> JSONValue {
      let request: JSONValue? = filter.map { ["subjects_filter": .string($0)] }
      let answer = try await ask("STREAM.INFO.\(options.address.stream)", request)
      guard let fault = Fault(answer) else { return answer }
      guard fault.number == Self.streamNotFound else { throw fault.failure }
      guard mayCreate, let replicas = options.replicas else { throw .failed(.noStream(options)) }
      let created = try await ask(
        "STREAM.CREATE.\(options.address.stream)",
        [
          "name": .string(options.address.stream), "subjects": [.string("\(options.prefix).*")],
          "retention": "limits", "storage": "file", "discard": "old",
          "num_replicas": .integer(Int64(replicas)), "max_consumers": -1, "max_msgs": -1,
          "max_bytes": -1, "max_age": 0,
        ])
      guard let fault = Fault(created) else { return created }
      // Servers that are away come back, and another relay may have been quicker.
      let passes = fault.number == Self.noPeers || fault.number == Self.nameInUse
      throw passes ? .lost(.answered(503, fault.text)) : fault.failure
    }

    /// A message of the stream, without its body.
    ///
    /// - Parameter request: Which one.
    /// - Returns: nil when there is none.
    /// - Throws: `RelayFailure`.
    nonisolated(nonsending) func message(
      _ request: JSONValue
    ) async throws(RelayFailure) -> StoredMessage? {
      let answer = try await ask("STREAM.MSG.GET.\(options.address.stream)", request)
      if let fault = Fault(answer) {
        switch fault.number {
        case Self.messageNotFound: return nil
        case Self.streamNotFound: throw .failed(.noStream(options))
        default: throw fault.failure
        }
      }
      guard let message = answer["message"], message["seq"]?.integer != nil else {
        throw .lost(.noAnswerInJSON(options.address.hosts))
      }
      guard let stored = JetStreamFields.stored(message, now: WallClock.milliseconds) else {
        throw .failed(.notFromARelay(message["subject"]?.string ?? ""))
      }
      return stored
    }

    /// The only store whose messages are in the stream.
    ///
    /// - Throws: `RelayFailure` where there are none or several.
    package nonisolated(nonsending) func onlyStore() async throws(RelayFailure) -> StoreIdentifier {
      let info = try await info(subjects: "\(options.prefix).*")
      let stores = info["state"]?["subjects"]?.object?.names.compactMap {
        StoreIdentifier($0.dropFirst(options.prefix.count + 1))
      }
      guard let store = stores?.first else { throw .failed(.noStore(options)) }
      guard stores?.count == 1 else { throw .failed(.severalStores(stores?.count ?? 0, options)) }
      return store
    }
  }
#endif
