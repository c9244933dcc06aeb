import Testing

@testable import EventLoop

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite("Socket connection", .timeLimit(.minutes(1)))
struct SocketConnectionTests {
  private let scratch: ScratchDirectory
  private var address: SocketAddress { .local(path: scratch.file("s")) }

  init() throws {
    LoopExecutor.ignoreBrokenPipes()
    scratch = try ScratchDirectory()
  }

  @Test("a slow reader gets every byte, and no more than the limit waits for him")
  func slowReader() async throws {
    try await onLoop { [address] executor in
      let pair = try await ConnectedPair(at: address, queueLimit: 100_000, on: executor)
      let (ours, theirs) = (Confined(pair.ours), pair.theirs)
      let sent = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
      let writer = Task(executorPreference: executor) {
        var refusals = 0
        for start in stride(from: 0, to: sent.count, by: 1000) {
          while ours.value.offer(sent[start..<start + 1000]) == .full {
            refusals += 1
            #expect(ours.value.queuedCount <= 100_000 && ours.value.queuedCount > 99_000)
            try await ours.value.drained(to: 50_000)
            #expect(ours.value.queuedCount <= 50_000)
          }
        }
        try await ours.value.drained()
        #expect(ours.value.sentCount == 3_000_000)
        ours.value.finish()
        return refusals
      }
      var received: [UInt8] = []
      while true {
        let bytes = try await theirs.read(atMost: 4000)
        if bytes.isEmpty { break }
        received += bytes
      }
      #expect(received == sent)
      #expect(try await writer.value > 10)
    }
  }

  @Test("a message bigger than the limit goes out whole")
  func bigMessage() async throws {
    try await onLoop { [address] executor in
      let pair = try await ConnectedPair(at: address, queueLimit: 1000, on: executor)
      let big = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 / 3) }
      #expect(pair.ours.offer(big) == .taken)
      #expect(pair.ours.queuedCount > 1000)
      #expect(pair.ours.offer([1]) == .full)
      let bytes = try await pair.theirs.read(exactly: big.count)
      #expect(bytes == big)
      try await pair.ours.drained()
      #expect(pair.ours.offer([1]) == .taken)
    }
  }

  @Test("whoever stopped sending still reads, and the other way round")
  func halfClosed() async throws {
    try await onLoop { [address] executor in
      let pair = try await ConnectedPair(at: address, on: executor)
      #expect(pair.theirs.offer(Array("last words".utf8)) == .taken)
      pair.theirs.finish()
      #expect(pair.theirs.offer([0]) == .gone)
      try await pair.theirs.drained()
      let words = try await pair.ours.read()
      #expect(words == Array("last words".utf8))
      let end = try await pair.ours.read()
      #expect(end == [])
      let again = try await pair.ours.read()
      #expect(again == [])
      #expect(pair.ours.offer([1, 2]) == .taken)
      let bytes = try await pair.theirs.read()
      #expect(bytes == [1, 2])
      pair.ours.finish()
      let theirEnd = try await pair.theirs.read()
      #expect(theirEnd == [])
    }
  }

  @Test("what was taken in goes out before the end does")
  func finishing() async throws {
    try await onLoop { [address] executor in
      let pair = try await ConnectedPair(at: address, queueLimit: 2_000_000, on: executor)
      let big = [UInt8](repeating: 7, count: 1_500_000)
      #expect(pair.ours.offer(big) == .taken)
      pair.ours.finish()
      #expect(pair.ours.offer([0]) == .gone)
      let bytes = try await pair.theirs.read(exactly: 2_000_000)
      #expect(bytes == big)
    }
  }

  @Test("a peer that vanishes ends what waits for him, and takes nothing more")
  func vanished() async throws {
    try await onLoop { [address] executor in
      let pair = try await ConnectedPair(at: address, queueLimit: 2_000_000, on: executor)
      let ours = Confined(pair.ours)
      #expect(pair.ours.offer([UInt8](repeating: 0, count: 1_000_000)) == .taken)
      let waiter = Task(executorPreference: executor) { try await ours.value.drained() }
      await Task.yield()
      // He leaves what was sent unread.
      pair.theirs.close()
      let result = await waiter.result
      #expect(throws: OutputError.readerGone) { try result.get() }
      #expect(pair.ours.offer([1]) == .gone)
      #expect(pair.ours.queuedCount == 0)
      await #expect(throws: OutputError.readerGone) { try await pair.ours.drained() }
      // The reading end learns it too: by an error, and then by the end.
      let first: [UInt8]? = try? await pair.ours.read()
      #expect(first == nil || first == [])
      let second = try await pair.ours.read()
      #expect(second == [])
      #expect(pair.ours.isOpen)
    }
  }

  @Test("a peer that vanishes while nothing is sent is the end of a read")
  func vanishedIdle() async throws {
    try await onLoop { [address] executor in
      let pair = try await ConnectedPair(at: address, on: executor)
      let ours = Confined(pair.ours)
      let reader = Task(executorPreference: executor) { try await ours.value.read() }
      await Task.yield()
      pair.theirs.close()
      #expect(try await reader.value == [])
      #expect(pair.ours.offer([1]) == .gone)
    }
  }

  @Test("closing ends what waits here, once, and the peer reads the end")
  func closing() async throws {
    try await onLoop { [address] executor in
      let pair = try await ConnectedPair(at: address, queueLimit: 2_000_000, on: executor)
      let ours = Confined(pair.ours)
      #expect(pair.ours.offer([UInt8](repeating: 0, count: 1_000_000)) == .taken)
      let waiters = (0..<3).map { place in
        Task(executorPreference: executor) { try await ours.value.drained(to: place * 1000) }
      }
      let reader = Task(executorPreference: executor) { try await ours.value.read() }
      await Task.yield()
      pair.ours.close()
      pair.ours.close()
      for waiter in waiters {
        let result = await waiter.result
        #expect(throws: OutputError.abandoned) { try result.get() }
      }
      let read = await reader.result
      #expect(throws: LoopError("read", number: ECANCELED)) { try read.get() }
      await #expect(throws: LoopError("read", number: ECANCELED)) { try await pair.ours.read() }
      await #expect(throws: OutputError.abandoned) { try await pair.ours.drained() }
      #expect(pair.ours.offer([1]) == .gone)
      pair.ours.finish()
      let bytes = try await pair.theirs.read(exactly: 1_000_000)
      #expect(bytes.count < 1_000_000)
    }
  }

  @Test("cancelling ends a wait, and the connection goes on")
  func cancelling() async throws {
    try await onLoop { [address] executor in
      let pair = try await ConnectedPair(at: address, queueLimit: 2_000_000, on: executor)
      let ours = Confined(pair.ours)
      let big = [UInt8](repeating: 3, count: 1_000_000)
      #expect(pair.ours.offer(big) == .taken)
      let waiter = Task(executorPreference: executor) { try await ours.value.drained() }
      let reader = Task(executorPreference: executor) { try await ours.value.read() }
      await Task.yield()
      waiter.cancel()
      reader.cancel()
      let (drained, read) = (await waiter.result, await reader.result)
      #expect(throws: OutputError.abandoned) { try drained.get() }
      #expect(throws: LoopError("read", number: ECANCELED)) { try read.get() }
      #expect(pair.theirs.offer([5]) == .taken)
      let five = try await pair.ours.read()
      #expect(five == [5])
      let bytes = try await pair.theirs.read(exactly: big.count)
      #expect(bytes == big)
      try await pair.ours.drained()
    }
  }

  @Test("a peer that never stops sending leaves the others their turns")
  func flood() async throws {
    let elsewhere = try LoopExecutor.onOwnThread(name: "flood")
    defer { elsewhere.shutdown() }
    try await onLoop { [address] executor in
      let listener = try SocketListener(address, on: executor)
      let flood = Task(executorPreference: elsewhere) {
        let connection = try await SocketConnection.connect(to: address, on: elsewhere)
        let piece = [UInt8](repeating: 0, count: 100_000)
        while true { try await connection.sendAll(piece) }
      }
      let ours = Confined(try await listener.accept())
      let reader = Task(executorPreference: executor) {
        while true { _ = try await ours.value.read(atMost: 1) }
      }
      let turns = Happening(on: executor)
      let timer = try LoopTimer(on: executor)
      timer.start(after: .zero, repeating: .milliseconds(1)) { turns.happened() }
      try await turns.reached(20)
      timer.stop()
      for task in [flood, reader] { task.cancel() }
      _ = await (flood.result, reader.result)
    }
  }

  @Test("nobody to connect to is an error with its number")
  func nobody() async throws {
    let path = scratch.file("s")
    try await onLoop { [address] executor in
      await #expect(throws: LoopError("connect", number: ENOENT)) {
        _ = try await SocketConnection.connect(to: address, on: executor)
      }
      do { _ = try ForeignSocket(at: path, isListening: true) }
      await #expect(throws: LoopError("connect", number: ECONNREFUSED)) {
        _ = try await SocketConnection.connect(to: address, on: executor)
      }
      await #expect(throws: LoopError("connect", number: ENAMETOOLONG)) {
        _ = try await SocketConnection.connect(
          to: .local(path: String(repeating: "x", count: 200)), on: executor)
      }
    }
  }

  @Test("whoever finds the listener's queue full waits for his turn, or gives up")
  func fullQueue() async throws {
    let path = scratch.file("s")
    try await onLoop { [address] executor in
      let busy = try ForeignSocket(at: path, isListening: true, backlog: 0)
      let storage = try #require(address.storage)
      while StreamSocket.probe(storage) == 0 {}
      let late = Task(executorPreference: executor) {
        Confined(try await SocketConnection.connect(to: address, on: executor))
      }
      let impatient = Task(executorPreference: executor) {
        Confined(try await SocketConnection.connect(to: address, on: executor))
      }
      await Task.yield()
      impatient.cancel()
      let result = await impatient.result
      #expect(throws: LoopError("connect", number: ECANCELED)) { try result.get() }
      // One after another is taken, whenever there is one; among them the one who is late.
      let listening = busy.descriptor
      _ = fcntl(listening, F_SETFL, O_NONBLOCK)
      let timer = try LoopTimer(on: executor)
      timer.start(after: .zero, repeating: .milliseconds(1)) {
        let taken = accept(listening, nil, nil)
        if taken >= 0 { close(taken) }
      }
      #expect(try await late.value.value.isOpen)
      timer.stop()
    }
  }

  @Test("lines get through whole, however both sides cut them", arguments: 0..<5)
  func anyPieces(seed: Int) async throws {
    try await onLoop { [address] executor in
      let pair = try await ConnectedPair(at: address, queueLimit: 5000, on: executor)
      let ours = Confined(pair.ours)
      let sent = (0..<400_000).map { UInt8(truncatingIfNeeded: $0 / 11) }
      let writer = Task(executorPreference: executor) {
        var rest = sent[...]
        while !rest.isEmpty {
          let piece = rest.prefix(Int.random(in: 1...4000))
          while ours.value.offer(piece) == .full {
            try await ours.value.drained(to: .random(in: 0...4000))
          }
          rest = rest.dropFirst(piece.count)
        }
        ours.value.finish()
      }
      var received: [UInt8] = []
      while true {
        let bytes = try await pair.theirs.read(atMost: .random(in: 1...9000))
        if bytes.isEmpty { break }
        received += bytes
      }
      #expect(received == sent)
      try await writer.value
    }
  }
}
