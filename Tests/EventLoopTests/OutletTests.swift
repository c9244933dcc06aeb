import Testing

@testable import EventLoop

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite("Outlet", .timeLimit(.minutes(1)))
struct OutletTests {
  init() { LoopExecutor.ignoreBrokenPipes() }

  @Test("a pipe is opened a second time, a socket and a file are not")
  func ways() throws {
    let (pipe, sockets, scratch) = (try Pipe(), try Pipe(ofSockets: ()), try ScratchDirectory())
    append("", to: scratch.file("f"))
    let file = open(scratch.file("f"), O_WRONLY)
    defer { close(file) }
    let outlets = [pipe.writing, sockets.writing, file, -1].map { Outlet($0) }
    defer { for outlet in outlets { outlet.closeOwn() } }
    #expect(outlets.map(\.way) == [.reopened, .socket, .plain, .plain])
    #expect(outlets[0].descriptor != pipe.writing)
    #expect(outlets[1].descriptor == sockets.writing)
  }

  #if os(Linux)
    @Test("a terminal is opened a second time, and stays blocking for others")
    func terminal() async throws {
      try await onLoop { executor in
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        // Swift's Glibc lacks unlockpt and ptsname; these are TIOCSPTLCK and TIOCGPTN.
        var (lock, number) = (CInt(0), CInt(0))
        #expect(ioctl(master, 0x4004_5431, &lock) == 0 && ioctl(master, 0x8004_5430, &number) == 0)
        let terminal = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        defer {
          close(terminal)
          close(master)
        }
        let outlet = Outlet(terminal)
        #expect(outlet.way == .reopened)
        try await OutputPort(outlet, on: executor).write(Array("hello".utf8))
        var bytes = [UInt8](repeating: 0, count: 10)
        #expect(read(master, &bytes, 10) == 5)
        #expect(fcntl(terminal, F_GETFL) & O_NONBLOCK == 0)
      }
    }
  #endif

  @Test("a slow reader gets every byte by each way", arguments: [0, 1])
  func everyByte(way: Int) async throws {
    try await onLoop { executor in
      let pipe = way == 0 ? try Pipe() : try Pipe(ofSockets: ())
      let outlet = way == 0 ? Outlet(descriptor: pipe.writing, way: .paced) : Outlet(pipe.writing)
      let port = OutputPort(outlet, on: executor)
      let sent = (0..<500_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
      let (received, complete) = (Received(), Happening(on: executor))
      let timer = try LoopTimer(on: executor)
      timer.start(after: .zero, repeating: .milliseconds(1)) {
        received.bytes += pipe.take(min(50_000, sent.count - received.bytes.count))
        guard received.bytes.count == sent.count else { return }
        timer.stop()
        complete.happened()
      }
      try await port.write(sent)
      try await complete.reached(1)
      #expect(received.bytes == sent)
      #expect(!pipe.isNonBlocking)
    }
  }

  @Test("a socket's peer that only stopped sending is still a reader")
  func halfClosed() async throws {
    try await onLoop { executor in
      let sockets = try Pipe(ofSockets: ())
      let port = OutputPort(descriptor: sockets.writing, on: executor)
      let gone = Happening(on: executor)
      port.watchForReader { gone.happened() }
      shutdown(sockets.reading, CInt(SHUT_WR))
      let turns = Happening(on: executor)
      let timer = try LoopTimer(on: executor)
      timer.start(after: .zero, repeating: .milliseconds(1)) { turns.happened() }
      try await turns.reached(3)
      #expect(gone.count == 0)
      try await port.write([1])
      #expect(sockets.take(10) == [1])
      sockets.closeReading()
      try await gone.reached(1)
      await #expect(throws: OutputError.readerGone) { try await port.write([2]) }
    }
  }

  @Test("a paced pipe without a reader is gone, not full")
  func pacedReaderGone() async throws {
    try await onLoop { executor in
      let pipe = try Pipe()
      pipe.closeReading()
      let port = OutputPort(descriptor: pipe.writing, on: executor)
      await #expect(throws: OutputError.readerGone) { try await port.write([0]) }
    }
  }
}

private final class Received { var bytes: [UInt8] = [] }
