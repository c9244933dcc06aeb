import EventLoop
import HistoryModel
import HistorySync

#if NATS
  import JetStream
#endif

/// The stream of a broker, as the options name it, and the ways to it.
struct RelayStream: Sendable {
  let address: RelayAddress
  private let prefix: String
  private let credentials: String?
  /// With how many replicas to create the stream if there is none; nil when it must exist.
  private var replicas: Int?

  /// Reads the options.
  ///
  /// - Throws: ``HistoryError`` with code `usage`.
  init(_ arguments: ParsedArguments, _ address: RelayAddress) throws(HistoryError) {
    self.address = address
    prefix = arguments.value("subject-prefix") ?? "hw"
    guard
      !prefix.split(separator: ".", omittingEmptySubsequences: false).contains(where: {
        $0.isEmpty || !$0.allSatisfy(RelayAddress.isAllowed)
      })
    else {
      throw HistoryError(
        .usage, "--subject-prefix takes words parted by dots",
        hint: "each of letters, digits, - and _")
    }
    credentials = arguments.value("credentials")
  }

  /// Reads the options of who may create the stream.
  ///
  /// - Throws: ``HistoryError`` with code `usage`.
  mutating func mayCreate(_ arguments: ParsedArguments) throws(HistoryError) {
    let count = try arguments.count("replicas")
    guard arguments.flag("create-stream") else {
      if count == nil { return }
      throw HistoryError(
        .usage, "--replicas goes with --create-stream", hint: "add --create-stream, or leave it")
    }
    replicas = count ?? 1
  }

  /// The name of the consumer that keeps a store's history for the stream.
  var consumer: String { "relay:\(address.hosts)/\(address.stream)" }
}

#if NATS
  extension RelayStream {
    /// A connection that is not made yet.
    typealias Connection = JetStreamAPI

    func prepare(
      on executor: LoopExecutor, onLoss: @escaping () -> Void
    ) throws(RelayFailure) -> Connection {
      var options = JetStreamOptions(address: address, prefix: prefix)
      options.credentials = credentials
      options.replicas = replicas
      return try JetStreamAPI.prepare(options, on: executor, onLoss: onLoss)
    }

    nonisolated(nonsending) func carrier(
      _ connection: Connection, of store: StoreIdentifier
    ) async throws(RelayFailure) -> any RelayCarrier {
      try await JetStreamCarrier(connection, of: store)
    }

    func source(
      _ connection: Connection, of store: StoreIdentifier
    ) throws(RelayFailure) -> any RelaySource {
      JetStreamSource(connection, of: store)
    }
  }
#else
  extension RelayStream {
    /// What a build without NATS has in the place of a connection: nothing can make one.
    struct Connection {
      private init() {}
      nonisolated(nonsending) func connect() async throws(RelayFailure) {}
      nonisolated(nonsending) func onlyStore() async throws(RelayFailure) -> StoreIdentifier {
        throw .failed(.builtWithoutNATS())
      }
      func close() {}
    }

    func prepare(
      on executor: LoopExecutor, onLoss: @escaping () -> Void
    ) throws(RelayFailure) -> Connection {
      throw .failed(.builtWithoutNATS())
    }

    nonisolated(nonsending) func carrier(
      _ connection: Connection, of store: StoreIdentifier
    ) async throws(RelayFailure) -> any RelayCarrier {
      throw .failed(.builtWithoutNATS())
    }

    func source(
      _ connection: Connection, of store: StoreIdentifier
    ) throws(RelayFailure) -> any RelaySource {
      throw .failed(.builtWithoutNATS())
    }
  }

  extension HistoryError {
    fileprivate static func builtWithoutNATS() -> HistoryError {
      HistoryError(
        .storeUnavailable, "this build of historywatch has no NATS",
        hint: "build it with libnats: swift build -c release --traits NATS, or make nats")
    }
  }
#endif
