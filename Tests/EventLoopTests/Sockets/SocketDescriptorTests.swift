#if os(Linux)
  import Glibc
  import Testing

  @testable import EventLoop

  @Suite("Descriptors of sockets", .timeLimit(.minutes(1)))
  struct SocketDescriptorTests {
    init() { LoopExecutor.ignoreBrokenPipes() }

    @Test("permissions that the umask took away are given back")
    func strictMask() async throws {
      let scratch = try ScratchDirectory()
      let path = scratch.file("s")
      try await onSecludedLoop { executor in
        umask(0o777)
        let listener = try SocketListener(.local(path: path), permissions: 0o660, on: executor)
        #expect(FileState(path)?.permissions == 0o660)
        listener.close()
      }
    }

    @Test("without a descriptor left people are turned away, until there is one again")
    func noDescriptors() async throws {
      let scratch = try ScratchDirectory()
      try await onSecludedLoop { executor in
        let listener = try SocketListener(.local(path: scratch.file("s")), on: executor)
        let address = listener.address
        let before = openDescriptorCount()
        var clients: [SocketConnection] = []
        for _ in 1...2 {
          clients.append(try await SocketConnection.connect(to: address, on: executor))
        }
        let used = try takeAllDescriptors()
        let accepting = Confined(listener)
        let waiter = Task(executorPreference: executor) {
          Confined(try await accepting.value.accept())
        }
        // Both are closed at once: they read the end.
        for client in clients {
          let end = try await client.read()
          #expect(end == [])
        }
        #expect(listener.turnedAwayCount == 2)
        for descriptor in used { close(descriptor) }
        let client = try await SocketConnection.connect(to: address, on: executor)
        #expect(client.offer([1]) == .taken)
        let ours = try await waiter.value
        let bytes = try await ours.value.read()
        #expect(bytes == [1])
        for connection in clients + [client, ours.value] { connection.close() }
        #expect(openDescriptorCount() == before)
        listener.close()
        // The listener's own and its spare.
        #expect(openDescriptorCount() == before - 2)
      }
    }

    @Test("connections leave no descriptor behind, wherever their last reference goes")
    func noLeaks() async throws {
      let scratch = try ScratchDirectory()
      try await onSecludedLoop { executor in
        let listener = try SocketListener(.local(path: scratch.file("s")), on: executor)
        let before = openDescriptorCount()
        for round in 0..<60 {
          let theirs = try await SocketConnection.connect(to: listener.address, on: executor)
          let ours = Guarded<Confined<SocketConnection>?>(Confined(try await listener.accept()))
          #expect(ours.withLock { $0?.value.offer([1]) } == .taken)
          _ = try await theirs.read()
          if round % 2 == 0 { ours.withLock { $0?.value.close() } }
          guard round % 3 == 0 else { continue }
          await Task.detached { ours.withLock { $0 = nil } }.value
        }
        // What another thread let go is closed by the loop, before it next asks the kernel.
        let turns = Happening(on: executor)
        let timer = try LoopTimer(on: executor)
        timer.start(after: .zero, repeating: .milliseconds(1)) { turns.happened() }
        try await turns.reached(2)
        timer.stop()
        #expect(openDescriptorCount() == before)
      }
    }

    @Test("a listener that cannot be made leaves none either")
    func failures() async throws {
      let scratch = try ScratchDirectory()
      append("precious", to: scratch.file("f"))
      try await onSecludedLoop { executor in
        let first = try SocketListener(.local(path: scratch.file("s")), on: executor)
        let before = openDescriptorCount()
        for name in ["f", "s", "no/s", "", String(repeating: "x", count: 200)] {
          #expect(throws: SocketListener.Refusal.self) {
            try SocketListener(.local(path: scratch.file(name)), on: executor)
          }
          await #expect(throws: LoopError.self) {
            _ = try await SocketConnection.connect(
              to: .local(path: scratch.file("missing")), on: executor)
          }
        }
        #expect(openDescriptorCount() == before)
        _ = first
      }
    }

    private func takeAllDescriptors() throws -> [CInt] {
      var used: [CInt] = []
      while true {
        let descriptor = dup(0)
        if descriptor < 0 { return used }
        used.append(descriptor)
        try #require(used.count < 2_000_000)
      }
    }
  }
#endif
