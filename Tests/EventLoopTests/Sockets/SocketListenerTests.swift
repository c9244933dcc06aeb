import Testing

@testable import EventLoop

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite("Socket listener", .timeLimit(.minutes(1)))
struct SocketListenerTests {
  init() { LoopExecutor.ignoreBrokenPipes() }

  @Test("it takes connections, knows who they are, and leaves nothing at its path")
  func listening() async throws {
    let scratch = try ScratchDirectory()
    let path = scratch.file("s")
    try await onLoop { executor in
      let listener = try SocketListener(.local(path: path), on: executor)
      #expect(listener.address == .local(path: path))
      for _ in 1...3 {
        let theirs = try await SocketConnection.connect(to: listener.address, on: executor)
        let ours = try await listener.accept()
        #expect(ours.peer == .own)
        #expect(theirs.offer(Array("hello\n".utf8)) == .taken)
        let bytes = try await ours.read()
        #expect(bytes == Array("hello\n".utf8))
      }
      listener.close()
      listener.close()
      #expect(FileState(path) == nil)
      await #expect(throws: LoopError("accept", number: ECANCELED)) {
        _ = try await listener.accept()
      }
    }
  }

  @Test("the file has its permissions as soon as it is there")
  func permissions() throws {
    let scratch = try ScratchDirectory()
    for permissions: mode_t in [0o600, 0o620] {
      let path = scratch.file("s\(permissions)")
      let descriptor = try StreamSocket.make(AF_UNIX)
      defer { close(descriptor) }
      let address = try #require(SocketAddress.local(path: path).storage)
      // Nothing but this system call makes the file.
      #expect(SocketFile.bind(descriptor, address, permissions) == 0)
      #expect(FileState(path)?.permissions == permissions & 0o755)
    }
  }

  @Test("a path at which somebody listens is left to him")
  func live() async throws {
    let scratch = try ScratchDirectory()
    let path = scratch.file("s")
    try await onLoop { executor in
      let first = try SocketListener(.local(path: path), on: executor)
      let before = FileState(path)
      #expect(throws: SocketListener.Refusal.taken) {
        try SocketListener(.local(path: path), on: executor)
      }
      #expect(FileState(path) == before)
      // The one who asked whether anybody listens is among the connections; it has gone again.
      let probe = try await first.accept()
      let nothing = try await probe.read()
      #expect(nothing == [])
      _ = try await SocketConnection.connect(to: .local(path: path), on: executor)
      _ = try await first.accept()
    }
  }

  @Test("a socket whose queue is full is alive")
  func full() async throws {
    let scratch = try ScratchDirectory()
    let path = scratch.file("s")
    try await onLoop { executor in
      let busy = try ForeignSocket(at: path, isListening: true, backlog: 0)
      let address = try #require(SocketAddress.local(path: path).storage)
      while StreamSocket.probe(address) == 0 {}
      #expect(throws: SocketListener.Refusal.taken) {
        try SocketListener(.local(path: path), on: executor)
      }
      _ = busy
    }
  }

  @Test("a socket that was left behind is replaced")
  func stale() async throws {
    let scratch = try ScratchDirectory()
    let path = scratch.file("s")
    try await onLoop { executor in
      for wasListening in [true, false] {
        do { _ = try ForeignSocket(at: path, isListening: wasListening) }
        #expect(FileState(path)?.isSocket == true)
        let listener = try SocketListener(.local(path: path), on: executor)
        _ = try await SocketConnection.connect(to: .local(path: path), on: executor)
        _ = try await listener.accept()
        #expect(FileState(path)?.permissions == 0o600)
        listener.close()
        #expect(FileState(path) == nil)
      }
    }
  }

  @Test(
    "anything else at the path is left alone",
    arguments: ["echo precious >", "mkdir", "mkfifo", "ln -s elsewhere", "ln -s /dev/null", "live"])
  func notASocket(command: String) async throws {
    let scratch = try ScratchDirectory()
    let path = scratch.file("s")
    var target: ForeignSocket?
    if command == "live" {
      target = try ForeignSocket(at: scratch.file("target"), isListening: false)
      target = nil
      try shell("ln -s target '\(path)'")
    } else {
      try shell("\(command) '\(path)'")
    }
    _ = target
    let before = try #require(FileState(path))
    try await onLoop { executor in
      #expect(throws: SocketListener.Refusal.notASocket) {
        try SocketListener(.local(path: path), on: executor)
      }
    }
    #expect(FileState(path) == before)
    if command.hasPrefix("echo") { #expect(try shell("grep -q precious '\(path)'") == 0) }
  }

  @Test("a socket of datagrams is somebody's")
  func datagrams() async throws {
    let scratch = try ScratchDirectory()
    let path = scratch.file("s")
    let foreign = try ForeignSocket(at: path, isListening: false, isDatagram: true)
    try await onLoop { executor in
      #expect(throws: SocketListener.Refusal.taken) {
        try SocketListener(.local(path: path), on: executor)
      }
    }
    #expect(FileState(path)?.isSocket == true)
    _ = foreign
  }

  @Test("at its end it removes nothing that it did not make")
  func replaced() async throws {
    let scratch = try ScratchDirectory()
    let path = scratch.file("s")
    try await onLoop { executor in
      for isSocket in [false, true] {
        let listener = try SocketListener(.local(path: path), on: executor)
        unlink(path)
        var other: ForeignSocket?
        if isSocket {
          other = try ForeignSocket(at: path, isListening: true)
        } else {
          append("precious", to: path)
        }
        let before = try #require(FileState(path))
        listener.close()
        #expect(FileState(path) == before)
        _ = other
        unlink(path)
      }
    }
  }

  @Test("whoever has bound a socket and does not listen yet is waited for")
  func turns() async throws {
    let scratch = try ScratchDirectory()
    let path = scratch.file("s")
    let turn = try #require(DirectoryTurn(of: path))
    let foreign = try ForeignSocket(at: path, isListening: false)
    let (begun, begin) = AsyncStream<Void>.makeStream()
    let late = Task {
      let descriptor = try StreamSocket.make(AF_UNIX)
      defer { close(descriptor) }
      begin.finish()
      _ = try SocketFile.listen(descriptor, at: path, permissions: 0o600, tries: .max)
    }
    for await _ in begun {}
    listen(foreign.descriptor, 16)
    turn.end()
    let result = await late.result
    #expect(throws: SocketListener.Refusal.taken) { try result.get() }
  }

  @Test("a directory that somebody keeps locked is waited for only so long")
  func lockedDirectory() async throws {
    let scratch = try ScratchDirectory()
    let turn = try #require(DirectoryTurn(of: scratch.file("s")))
    try await onLoop { executor in
      _ = try SocketListener(.local(path: scratch.file("s")), on: executor)
    }
    turn.end()
  }

  @Test("of many who find a socket that was left behind, one gets its place", arguments: 0..<20)
  func manyAtOnce(round: Int) async throws {
    let scratch = try ScratchDirectory()
    let path = scratch.file("s")
    do { _ = try ForeignSocket(at: path, isListening: true) }
    let executors = try (0..<4).map { try LoopExecutor.onOwnThread(name: "starter \($0)") }
    defer { for executor in executors { executor.shutdown() } }
    let winners = Guarded<[SocketListener.Refusal?]>([])
    let held = Guarded<[Confined<SocketListener>]>([])
    await withTaskGroup { group in
      for executor in executors {
        group.addTask(executorPreference: executor) {
          do throws(SocketListener.Refusal) {
            let listener = Confined(try SocketListener(.local(path: path), on: executor))
            held.withLock { $0.append(listener) }
            winners.withLock { $0.append(nil) }
          } catch {
            winners.withLock { $0.append(error) }
          }
        }
      }
    }
    #expect(winners.withLock { $0.count { $0 == nil } } == 1)
    #expect(winners.withLock { $0.count { $0 == .taken } } == 3)
    try await onLoop { executor in
      // And it can be reached.
      _ = try await SocketConnection.connect(to: .local(path: path), on: executor)
    }
    held.withLock { $0 = [] }
    #expect(FileState(path) == nil)
  }

  @Test("a path that cannot be used is refused with the reason")
  func badPaths() async throws {
    let scratch = try ScratchDirectory()
    let long = scratch.file(String(repeating: "x", count: 200))
    try await onLoop { executor in
      for path in ["", long] {
        #expect(throws: SocketListener.Refusal.badPath(limit: SocketAddress.pathLimit)) {
          try SocketListener(.local(path: path), on: executor)
        }
      }
      #expect(throws: SocketListener.Refusal.failed(LoopError("bind", number: ENOENT))) {
        try SocketListener(.local(path: scratch.file("no/s")), on: executor)
      }
    }
  }

  @Test("it takes no more than it is asked for, and can be cancelled or closed while it waits")
  func waiting() async throws {
    let scratch = try ScratchDirectory()
    try await onLoop { executor in
      let listener = Confined(try SocketListener(.local(path: scratch.file("s")), on: executor))
      var clients: [SocketConnection] = []
      let address = listener.value.address
      for _ in 1...3 {
        clients.append(try await SocketConnection.connect(to: address, on: executor))
      }
      for _ in 1...3 { _ = try await listener.value.accept() }
      for isClosing in [false, true] {
        let waiter = Task(executorPreference: executor) {
          Confined(try await listener.value.accept())
        }
        await Task.yield()
        if isClosing { listener.value.close() } else { waiter.cancel() }
        let result = await waiter.result
        #expect(throws: LoopError("accept", number: ECANCELED)) { try result.get() }
      }
    }
  }

  @Test("it listens at an address of the loopback, at a port that the system chooses")
  func loopback() async throws {
    try await onLoop { executor in
      for text in ["127.0.0.1:0", "[::1]:0"] {
        let wanted = try #require(SocketAddress(internet: text))
        let listener: SocketListener
        do throws(SocketListener.Refusal) {
          listener = try SocketListener(wanted, on: executor)
        } catch {
          // A machine may have no IPv6.
          #expect(text.hasPrefix("["))
          continue
        }
        #expect(listener.address != wanted && listener.address.isLoopback)
        #expect(throws: SocketListener.Refusal.taken) {
          try SocketListener(listener.address, on: executor)
        }
        let theirs = try await SocketConnection.connect(to: listener.address, on: executor)
        let ours = try await listener.accept()
        #expect(ours.peer == nil)
        #expect(ours.offer([1, 2]) == .taken)
        let bytes = try await theirs.read(exactly: 2)
        #expect(bytes == [1, 2])
        listener.close()
        await #expect(throws: LoopError("connect", number: ECONNREFUSED)) {
          _ = try await SocketConnection.connect(to: listener.address, on: executor)
        }
      }
    }
  }
}
