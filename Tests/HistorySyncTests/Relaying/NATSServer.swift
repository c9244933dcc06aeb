#if NATS
  import EventLoop
  import Glibc
  import HistoryModel
  import HistorySync
  import HistoryTestSupport
  import JetStream

  /// A NATS server of a test's own, on the loopback, with its files in a directory of its own.
  final class NATSServer {
    let port: String
    private let directory: TemporaryDirectory
    private let more: [String]
    private var process: HistorywatchProcess

    init(_ more: [String] = []) throws {
      self.more = more
      directory = try TemporaryDirectory()
      process = try Self.start("-1", directory, more)
      port = try Self.waitUntilReady(process)
    }

    private static func start(
      _ port: String, _ directory: TemporaryDirectory, _ more: [String]
    ) throws -> HistorywatchProcess {
      try HistorywatchProcess(
        running: ["nats-server", "-js", "-sd", directory.path, "-a", "127.0.0.1", "-p", port] + more
      )
    }

    /// Waits until it answers.
    ///
    /// - Returns: The port where it does.
    private static func waitUntilReady(_ process: HistorywatchProcess) throws -> String {
      var port = ""
      while true {
        let line = try process.errorLine()
        if line.contains("Listening for client connections") {
          port = line.split(separator: ":").last.map(String.init) ?? ""
        }
        if line.contains("Server is ready") { return port }
      }
    }

    /// Kills it.
    func kill() throws {
      process.signal(SIGKILL)
      _ = try process.finish()
    }

    /// Starts it again.
    func restart() throws {
      process = try Self.start(port, directory, more)
      _ = try Self.waitUntilReady(process)
    }

    /// Where a stream of it is.
    func options(
      _ stream: String = "HISTORY", user: String = ""
    ) throws -> JetStreamOptions {
      var options = JetStreamOptions(
        address: try RelayAddress("nats://\(user)127.0.0.1:\(port)/\(stream)", for: "--to"),
        prefix: "hw.test")
      options.replicas = 1
      return options
    }
  }

  /// A server's carriers.
  struct NATSScene: RelayScene {
    let server: NATSServer
    let executor: LoopExecutor

    nonisolated(nonsending) private func connect() async throws(RelayFailure) -> JetStreamAPI {
      guard let options = try? server.options() else {
        throw .failed(HistoryError(.usage, "no address"))
      }
      let api = try JetStreamAPI.prepare(options, on: executor)
      try await api.connect()
      return api
    }

    nonisolated(nonsending) func carrier(
      of store: StoreIdentifier
    ) async throws(RelayFailure) -> any RelayCarrier {
      try await JetStreamCarrier(connect(), of: store)
    }

    nonisolated(nonsending) func source(
      of store: StoreIdentifier
    ) async throws(RelayFailure) -> any RelaySource {
      JetStreamSource(try await connect(), of: store)
    }

    func crash() throws {
      try server.kill()
      try server.restart()
    }
  }
#endif
