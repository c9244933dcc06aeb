#if NATS
  import EventLoop
  import HistoryModel
  import HistorySync
  import HistoryTestSupport
  import JetStream
  import Testing

  @Suite("Messages as a server tells them")
  struct JetStreamMessageTests {
    private static let position =
      HistoryToken(storeIdentifier: StoreIdentifier(), epoch: 1, sequence: 5, check: 1)

    /// A server's answer with a message whose fields are right but for one thing.
    private func read(
      sequence: JSONValue = 9, base: String = "4", previous: String = "7",
      time: JSONValue? = "2026-01-01T00:00:01.123456789Z"
    ) -> StoredMessage? {
      let mark = "\(RelayMark.at(RelayPosition(Self.position)))"
      let header = [
        "NATS/1.0", "Historywatch-From: \(mark)", "Historywatch-To: \(mark)",
        "Historywatch-Beginning: new", "Historywatch-Base: \(base)",
        "Nats-Expected-Last-Subject-Sequence: \(previous)", "", "",
      ].joined(separator: "\r\n")
      var encoded: [UInt8] = []
      Base64.append(Array(header.utf8), .standard, to: &encoded)
      var members = [
        JSONObject.Member(name: "seq", value: sequence),
        JSONObject.Member(name: "hdrs", value: .string(String(decoding: encoded, as: UTF8.self))),
      ]
      if let time { members.append(JSONObject.Member(name: "time", value: time)) }
      return JetStreamFields.stored(.object(JSONObject(members)), now: 1_767_225_602_000)
    }

    @Test("a whole one is read")
    func whole() throws {
      let message = try #require(read())
      #expect(message.sequence == 9 && message.previous == 7 && message.base == 4)
      #expect(message.age == .seconds(1))
      #expect(try #require(read(base: "0", previous: "0")).isFirst)
    }

    @Test(
      "a time that cannot be read counts as now",
      arguments: ["", ".", "Z", ".5Z", "yesterday", 5, nil] as [JSONValue?])
    func time(time: JSONValue?) throws {
      #expect(try #require(read(time: time)).age == .zero)
    }

    @Test("one with sequences that none can have is no relay's")
    func sequences() {
      for sequence in [-1, 0, .integer(.min), .integer(.max), "9"] as [JSONValue] {
        #expect(read(sequence: sequence) == nil)
      }
      let greatest = "\(UInt64.max)"
      for (base, previous) in [
        ("4", "9"), ("8", "7"), (greatest, greatest), ("4", greatest), ("-1", "7"), ("", ""),
      ] {
        #expect(read(base: base, previous: previous) == nil)
      }
    }
  }

  @Suite("Relaying through JetStream", .serialized)
  struct JetStreamTests {
    /// Runs a body on a loop, with a server.
    private func run(
      _ more: [String] = [], _ body: @escaping @Sendable (NATSScene) async throws -> Void
    ) throws {
      let executor = try LoopExecutor()
      try executor.runUntilComplete {
        try await body(NATSScene(server: NATSServer(more), executor: executor))
      }
    }

    /// Why a carrier is not to be had.
    private nonisolated(nonsending) static func failure(
      _ scene: NATSScene, _ options: JetStreamOptions
    ) async -> HistoryError? {
      do throws(RelayFailure) {
        let api = try JetStreamAPI.prepare(options, on: scene.executor)
        try await api.connect()
        _ = try await JetStreamCarrier(api, of: StoreIdentifier())
        return nil
      } catch {
        switch error {
        case .failed(let error), .lost(let error): return error
        case .refused: return nil
        }
      }
    }

    @Test("a message is stored after the one that was named, and after no other")
    func compareAndAppend() throws {
      try run { try await RelayContract(scene: $0).compareAndAppend() }
    }

    @Test("messages are read in order, from wherever one begins")
    func reading() throws {
      try run { try await RelayContract(scene: $0).reading() }
    }

    @Test("a store's history arrives whole", .timeLimit(.minutes(1)))
    func relaying() throws {
      try run { try await RelayContract(scene: $0).relaying() }
    }

    @Test("through crashes of the server each change arrives once", .timeLimit(.minutes(2)))
    func crashing() throws {
      try run { try await RelayContract(scene: $0).crashing(rounds: 6, seed: 3) }
    }

    @Test("the sequence that is expected is judged after a crash, too")
    func expectedAfterCrash() throws {
      try run { scene in
        let store = StoreIdentifier()
        let token = HistoryToken(storeIdentifier: store, epoch: 1, sequence: 1, check: 1)
        let mark = RelayMark.at(RelayPosition(token))
        let message = RelayMessage(.new, base: nil, from: mark, to: mark, body: [10])
        let first = try await scene.carrier(of: store).append(message, expecting: 0)
        try scene.crash()
        let carrier = try await scene.carrier(of: store)
        for wrong in [0, first + 1] {
          await #expect(throws: RelayFailure.self) {
            try await carrier.append(message, expecting: wrong)
          }
        }
        #expect(try await carrier.append(message, expecting: first) == first + 1)
        carrier.close()
      }
    }

    @Test("a message is never larger than the server takes", .timeLimit(.minutes(1)))
    func maxPayload() throws {
      let config = try TemporaryDirectory()
      let path = config.file("nats.conf")
      try DurableFile(path: path).replace(with: Array("max_payload: 4096\n".utf8))
      try run(["-c", path]) { scene in
        let carrier = try await scene.carrier(of: StoreIdentifier())
        #expect(carrier.bodyLimit == 3072)
        carrier.close()
        let relayed = try RelayPair(scene)
        try relayed.write("INSERT INTO t VALUES(1, randomblob(20000)), (2, 'short')")
        try await relayed.relay()
        try await relayed.follow()
        #expect(try relayed.rows(1) == relayed.rows(0))
      }
    }

    @Test("what is missing, or not allowed, is said, and no password")
    func refused() throws {
      try run { scene in
        var options = try scene.server.options("NONE")
        options.replicas = nil
        let error = await Self.failure(scene, options)
        #expect(error?.code == .storeUnavailable)
        #expect(error?.hint?.contains("--create-stream") == true)
        // The stream is there, and takes other subjects.
        _ = await Self.failure(scene, try scene.server.options())
        var other = try scene.server.options()
        other.prefix = "else"
        #expect(await Self.failure(scene, other)?.hint?.contains("else.*") == true)
      }
      try run(["--user", "me", "--pass", "right"]) { scene in
        let error = await Self.failure(scene, try scene.server.options(user: "me:secret@"))
        #expect(error?.code == .storeUnavailable)
        #expect(error?.description.contains("secret") == false)
        #expect(await Self.failure(scene, try scene.server.options(user: "me:right@")) == nil)
      }
    }

    @Test("the only store of a stream is found, and several are told apart")
    func onlyStore() throws {
      try run { scene in
        let options = try scene.server.options()
        _ = await Self.failure(scene, options)
        let api = try JetStreamAPI.prepare(options, on: scene.executor)
        try await api.connect()
        await #expect(throws: RelayFailure.self) { try await api.onlyStore() }
        let relayed = try RelayPair(scene)
        try relayed.write("INSERT INTO t VALUES(1, 1)")
        try await relayed.relay()
        #expect(try await api.onlyStore() == relayed.identifier)
        let other = try RelayPair(scene)
        try other.write("INSERT INTO t VALUES(1, 1)")
        try await other.relay()
        await #expect(throws: RelayFailure.self) { try await api.onlyStore() }
        api.close()
      }
    }

    @Test("filters of subjects let in what they should")
    func filters() {
      #expect(JetStreamOptions.matches("hw.*", "hw.a"))
      #expect(JetStreamOptions.matches(">", "hw.a"))
      #expect(JetStreamOptions.matches("hw.>", "hw.a.b"))
      #expect(!JetStreamOptions.matches("hw.*", "hw.a.b"))
      #expect(!JetStreamOptions.matches("hw.a.>", "hw.a"))
      #expect(!JetStreamOptions.matches("x.*", "hw.a"))
    }
  }
#endif
