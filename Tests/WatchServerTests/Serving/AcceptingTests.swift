import Glibc
import HistoryTestSupport
import Testing

@testable import EventLoop
@testable import WatchServer

/// How a server lets clients in.
@Suite("Accepting", .timeLimit(.minutes(1)))
struct AcceptingTests {
  @Test("one connection that cannot be had is said, and is not the last")
  func failure() async throws {
    let made = try ListeningSocket(.internet(host: "127.0.0.1", port: 0))
    let inherited = InheritedSocket(name: "history", descriptor: dup(made.descriptor))
    let told = Guarded<[String]>([])
    let stage = try await ServingStage(
      sockets: [.inherited(inherited)],
      log: ServerLog { level, sentence in
        if level == .error { told.withLock { $0.append(sentence) } }
      })
    // From here on every accept fails, until it listens again.
    shutdown(made.descriptor, Int32(SHUT_RD))
    while told.withLock({ $0.isEmpty }) {
      try Task.checkCancellation()
      await Task.yield()
    }
    try #require(listen(made.descriptor, 8) == 0)
    // Not where it did before: the system chooses anew.
    let address = try SocketAddress(of: made.descriptor)
    // Who comes from a network is nobody who may; but he was let in to be told that.
    let connection = try await withTaskExecutorPreference(stage.executor) {
      try await SocketConnection.connect(to: address, on: stage.executor)
    }
    while await stage.server.gauges().counts.refused == 0 {
      try Task.checkCancellation()
      await Task.yield()
    }
    #expect(told.withLock { $0.count } == 1)
    withExtendedLifetime(connection) {}
    await stage.stop()
  }
}
