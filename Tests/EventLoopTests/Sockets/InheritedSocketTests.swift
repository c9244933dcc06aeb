import Testing

@testable import EventLoop

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite("Inherited socket", .timeLimit(.minutes(1)))
struct InheritedSocketTests {
  @Test("a socket that was handed over is used, and stays where it is")
  func taken() async throws {
    let scratch = try ScratchDirectory()
    let path = scratch.file("s")
    let manager = try ForeignSocket(at: path, isListening: true)
    try await onLoop { executor in
      for _ in 1...2 {
        let handed = dup(manager.descriptor)
        let variables = ["LISTEN_PID": "77", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "history"]
        let sockets = InheritedSocket.all(in: { variables[$0] }, process: 77, from: handed)
        let inherited = try #require(sockets.first)
        #expect(inherited == InheritedSocket(name: "history", descriptor: handed))
        #expect(fcntl(handed, F_GETFD) & FD_CLOEXEC != 0)
        let listener = try SocketListener(taking: inherited, on: executor)
        #expect(listener.address == .local(path: path))
        let theirs = try await SocketConnection.connect(to: listener.address, on: executor)
        let ours = try await listener.accept()
        #expect(ours.peer == .own)
        theirs.finish()
        let end = try await ours.read()
        #expect(end == [])
        listener.close()
        #expect(FileState(path)?.isSocket == true)
      }
    }
  }

  @Test("what does not listen for streams is refused")
  func refused() async throws {
    let scratch = try ScratchDirectory()
    let deaf = try ForeignSocket(at: scratch.file("a"), isListening: false)
    let datagrams = try ForeignSocket(at: scratch.file("b"), isListening: false, isDatagram: true)
    let (pipe, sockets) = (try Pipe(), try Pipe(ofSockets: ()))
    let descriptors = [deaf.descriptor, datagrams.descriptor, pipe.reading, sockets.reading, -1]
    try await onLoop { executor in
      for descriptor in descriptors {
        #expect(throws: SocketListener.Refusal.notListening) {
          try SocketListener(
            taking: InheritedSocket(name: "x", descriptor: descriptor), on: executor)
        }
      }
    }
    // They are still whoever's they were.
    #expect(fcntl(deaf.descriptor, F_GETFD) >= 0)
  }

  @Test(
    "only sockets for this process count, and each has its name",
    arguments: [
      ([:], []), (["LISTEN_FDS": "1"], []), (["LISTEN_PID": "7"], []),
      (["LISTEN_PID": "8", "LISTEN_FDS": "1"], []), (["LISTEN_PID": "x", "LISTEN_FDS": "1"], []),
      (["LISTEN_PID": "7", "LISTEN_FDS": "0"], []), (["LISTEN_PID": "7", "LISTEN_FDS": "-1"], []),
      (["LISTEN_PID": "7", "LISTEN_FDS": "9999999"], []),
      (["LISTEN_PID": "7", "LISTEN_FDS": "2"], ["unknown", "unknown"]),
      (["LISTEN_PID": "7", "LISTEN_FDS": "3", "LISTEN_FDNAMES": "a::b"], ["a", "", "b"]),
      (["LISTEN_PID": "7", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "a"], ["a", "unknown"]),
    ] as [([String: String], [String])])
  func environment(variables: [String: String], expected: [String]) {
    // Numbers that no descriptor has, so that nobody else's are marked.
    let sockets = InheritedSocket.all(in: { variables[$0] }, process: 7, from: 1_000_000)
    #expect(sockets.map(\.name) == expected)
    #expect(sockets.map(\.descriptor) == expected.indices.map { 1_000_000 + CInt($0) })
  }
}
