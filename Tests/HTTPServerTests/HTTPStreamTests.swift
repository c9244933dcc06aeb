import EventLoop
import HTTPServer
import Testing

@Suite("HTTP streams", .timeLimit(.minutes(1)))
struct HTTPStreamTests {
  /// A listener all of whose requests become streams.
  final class Streams {
    private(set) var all: [HTTPStream] = []
    private(set) var endings: [HTTPStream.Ending] = []
    let gate: LoopGate
    let listener: HTTPListener

    init(limits: HTTPLimits = HTTPLimits(), limit: Int = 1024, on executor: LoopExecutor) throws {
      let gate = try LoopGate(on: executor)
      self.gate = gate
      nonisolated(unsafe) weak var me: Streams?
      // Set once, below, and read on the loop.
      listener = try HTTPListener(.anyPort, limits: limits, on: executor) { _, exchange in
        me?.began(exchange.stream(contentType: "text/event-stream", limit: limit))
      }
      me = self
    }

    private func began(_ stream: HTTPStream) {
      stream.onEnd = { [unowned self] in
        endings.append($0)
        gate.open()
      }
      all.append(stream)
      gate.open()
    }

    nonisolated(nonsending) func begin(_ client: Client, method: String = "GET") async throws {
      let count = all.count
      client.ask("/events", of: listener, method: method)
      while all.count == count { _ = await gate.wait(for: nil) }
    }

    nonisolated(nonsending) func ended(_ count: Int) async {
      while endings.count < count { _ = await gate.wait(for: nil) }
    }
  }

  @Test("the headers come before anything is sent, and each message as soon as it is")
  func sending() async throws {
    try await onLoop { executor in
      let streams = try Streams(on: executor)
      let client = try await Client(streams.listener, on: executor)
      try await streams.begin(client)
      let head = try await client.head()
      #expect(head.status == 200)
      #expect(head.headers["content-type"] == "text/event-stream")
      #expect(head.headers["cache-control"] == "no-store")
      for text in ["one", "two"] {
        #expect(streams.all[0].offer(Array(text.utf8)) == .taken)
        let chunk = try await client.chunk()
        #expect(chunk == text)
      }
      streams.all[0].finish()
      #expect(streams.all[0].offer([1]) == .gone)
      let end = try await client.chunk()
      #expect(end == nil)
      await streams.ended(1)
      #expect(streams.endings == [.finished])
      // The connection goes on.
      try await streams.begin(client)
      _ = try await client.head()
      streams.listener.stop()
      #expect(streams.endings == [.finished, .stopped])
      await client.end()
    }
  }

  @Test("a client that does not read costs no more than the limit, and the others nothing")
  func slowClient() async throws {
    try await onLoop { executor in
      let streams = try Streams(limit: 64 << 10, on: executor)
      let slow = try await Client(streams.listener, on: executor)
      let quick = try await Client(streams.listener, on: executor)
      try await streams.begin(slow)
      try await streams.begin(quick)
      let message = [UInt8](repeating: UInt8(ascii: "x"), count: 10_000)
      let stream = streams.all[0]
      var hasRoom = 0
      stream.onRoom = { hasRoom += 1 }
      // The kernel takes some megabytes first; it is full when nothing moves over some turns.
      var sent = 0
      var queued = -1
      while true {
        #expect(stream.queuedCount <= stream.limit)
        if stream.offer(message) == .taken {
          sent += message.count
        } else if stream.queuedCount == queued {
          break
        } else {
          queued = stream.queuedCount
          for _ in 1...20 { await LoopTimer.pause(for: .milliseconds(1), on: executor) }
        }
      }
      #expect(stream.offer(message) == .full)
      let before = hasRoom
      _ = try await quick.head()
      for text in ["a", "b", "c"] {
        #expect(streams.all[1].offer(Array(text.utf8)) == .taken)
        let chunk = try await quick.chunk()
        #expect(chunk == text)
      }
      // Once it reads, everything is there, and there is room.
      _ = try await slow.head()
      var received = 0
      while received < sent, let chunk = try await slow.chunk() { received += chunk.utf8.count }
      #expect(received == sent)
      #expect(hasRoom == before + 1)
      #expect(stream.queuedCount == 0)
      streams.listener.stop()
    }
  }

  @Test("a client that takes nothing for too long is disconnected")
  func stalled() async throws {
    try await onLoop { executor in
      let limits = HTTPLimits(stallTimeout: .seconds(1))
      let streams = try Streams(limits: limits, limit: 16 << 20, on: executor)
      let client = try await Client(streams.listener, on: executor)
      let idle = try await Client(streams.listener, on: executor)
      try await streams.begin(client)
      try await streams.begin(idle)
      #expect(streams.all[0].offer([UInt8](repeating: 0, count: 16 << 20)) == .taken)
      await streams.ended(1)
      #expect(streams.endings == [.stalled])
      // One that has nothing to take is not.
      _ = try await idle.head()
      #expect(streams.all[1].offer([UInt8(ascii: "x")]) == .taken)
      let chunk = try await idle.chunk()
      #expect(chunk == "x")
      _ = client
      streams.listener.stop()
    }
  }

  @Test("a client that goes is noticed though nothing is sent", arguments: [true, false])
  func goes(isWaiting: Bool) async throws {
    try await onLoop { executor in
      let streams = try Streams(on: executor)
      let client = try await Client(streams.listener, on: executor)
      try await streams.begin(client)
      if isWaiting { _ = try await client.head() }
      client.connection.close()
      await streams.ended(1)
      #expect(streams.endings == [.peerGone])
      #expect(!streams.all[0].isOpen)
      #expect(streams.all[0].offer([1]) == .gone)
      await until(executor) { streams.listener.connectionCount == 0 }
      streams.listener.stop()
    }
  }

  @Test("nothing is kept of what is over")
  func forgetting() async throws {
    try await onLoop { executor in
      weak var stream: HTTPStream?
      weak var exchange: HTTPExchange?
      let ended = try LoopGate(on: executor)
      let listener = try HTTPListener(.anyPort, on: executor) { _, asked in
        exchange = asked
        stream = asked.stream(contentType: "text/plain")
        stream?.onEnd = { [stream] _ in
          #expect(stream != nil)
          ended.open()
        }
      }
      let client = try await Client(listener, on: executor)
      client.ask("/", of: listener)
      _ = try await client.head()
      #expect(exchange == nil)
      #expect(stream != nil)
      client.connection.close()
      _ = await ended.wait(for: nil)
      await until(executor) { listener.connectionCount == 0 }
      #expect(stream == nil)
      listener.stop()
    }
  }

  @Test("a stream that was asked for with HEAD ends at once")
  func head() async throws {
    try await onLoop { executor in
      let streams = try Streams(on: executor)
      let client = try await Client(streams.listener, on: executor)
      try await streams.begin(client, method: "HEAD")
      let head = try await client.head()
      #expect(head.headers["content-type"] == "text/event-stream")
      await streams.ended(1)
      #expect(streams.endings == [.finished])
      streams.listener.stop()
    }
  }

  @Test("closing breaks a stream off, from inside of its own callback too")
  func closing() async throws {
    try await onLoop { executor in
      let streams = try Streams(on: executor)
      let client = try await Client(streams.listener, on: executor)
      try await streams.begin(client)
      _ = try await client.head()
      streams.all[0].close()
      await streams.ended(1)
      #expect(streams.endings == [.stopped])
      await #expect(throws: EndedEarly.self) { _ = try await client.chunk() }

      let second = try await Client(streams.listener, on: executor)
      try await streams.begin(second)
      streams.all[1].onEnd = { _ in
        streams.listener.stop()
        streams.gate.open()
      }
      second.connection.close()
      await until(executor) { streams.listener.connectionCount == 0 && !streams.all[1].isOpen }
    }
  }

  @Test("shutting down lets everybody have what was meant for him")
  func shuttingDown() async throws {
    try await onLoop { executor in
      let streams = try Streams(limit: 1 << 20, on: executor)
      let idle = try await Client(streams.listener, on: executor)
      let client = try await Client(streams.listener, on: executor)
      try await streams.begin(client)
      let goodbye = [UInt8](repeating: UInt8(ascii: "x"), count: 300_000)
      #expect(streams.all[0].offer(goodbye) == .taken)
      await until(executor) { streams.listener.connectionCount == 2 }
      let listener = Confined(streams.listener)
      let stopped = Task(executorPreference: executor) {
        await listener.value.shutDown(within: .seconds(30))
      }
      _ = try await client.head()
      var received = 0
      while let chunk = try await client.chunk() { received += chunk.utf8.count }
      #expect(received == goodbye.count)
      await client.end()
      await idle.end()
      await stopped.value
      #expect(streams.endings == [.finished])
      await #expect(throws: LoopError.self) {
        _ = try await Client(streams.listener, on: executor)
      }
    }
  }

  @Test("shutting down waits no longer than it is told")
  func shuttingDownInTime() async throws {
    try await onLoop { executor in
      let streams = try Streams(limit: 64 << 20, on: executor)
      let client = try await Client(streams.listener, on: executor)
      try await streams.begin(client)
      #expect(streams.all[0].offer([UInt8](repeating: 0, count: 32 << 20)) == .taken)
      await streams.listener.shutDown(within: .milliseconds(50))
      #expect(streams.endings == [.stopped])
      #expect(streams.listener.connectionCount == 0)
    }
  }
}
