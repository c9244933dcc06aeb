import Testing

@testable import EventLoop

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite("Service manager", .timeLimit(.minutes(1)))
struct ServiceManagerTests {
  @Test("what it is told arrives as one datagram of lines")
  func messages() throws {
    let scratch = try ScratchDirectory()
    let socket = try ForeignSocket(at: scratch.file("n"), isListening: false, isDatagram: true)
    let manager = try #require(try made(["NOTIFY_SOCKET": scratch.file("n")]))
    try manager.tell(.ready, .status("watching 2 stores\nand more"))
    #expect(receive(socket) == "READY=1\nSTATUS=watching 2 stores and more")
    try manager.tell(.watchdog)
    #expect(receive(socket) == "WATCHDOG=1")
    try manager.tell(.extendTimeout(by: .milliseconds(1500)))
    #expect(receive(socket) == "EXTEND_TIMEOUT_USEC=1500000")
    try manager.tell(.stopping)
    #expect(receive(socket) == "STOPPING=1")
  }

  @Test("a reload says when it began, by the clock that the manager goes by")
  func reloading() throws {
    let scratch = try ScratchDirectory()
    let socket = try ForeignSocket(at: scratch.file("n"), isListening: false, isDatagram: true)
    let manager = try #require(try made(["NOTIFY_SOCKET": scratch.file("n")]))
    let before = monotonicMicroseconds()
    try manager.tell(.reloading)
    let after = monotonicMicroseconds()
    let text = receive(socket)
    let prefix = "RELOADING=1\nMONOTONIC_USEC="
    #expect(text.hasPrefix(prefix))
    let time = try #require(Int64(text.dropFirst(prefix.count)))
    #expect((before...after).contains(time))
  }

  #if os(Linux)
    @Test("a name outside the file system is one too")
    func abstract() throws {
      let name = "historywatch-test-\(getpid())"
      let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
      defer { close(descriptor) }
      let address = try #require(SocketAddress.abstract(name: name).storage)
      #expect(StreamSocket.bind(descriptor, address) == 0)
      let manager = try #require(try made(["NOTIFY_SOCKET": "@\(name)"]))
      try manager.tell(.ready)
      var bytes = [UInt8](repeating: 0, count: 100)
      #expect(recv(descriptor, &bytes, 100, 0) == 7)
    }
  #endif

  @Test("without one nothing is told, and one that is gone is an error")
  func missing() throws {
    let scratch = try ScratchDirectory()
    #expect(try made([:]) == nil)
    #expect(try made(["NOTIFY_SOCKET": ""]) == nil)
    #expect(throws: LoopError.self) { try made(["NOTIFY_SOCKET": "vsock:2:1"]) }
    let manager = try #require(try made(["NOTIFY_SOCKET": scratch.file("n")]))
    #expect(throws: LoopError("sendto", number: ENOENT)) { try manager.tell(.ready) }
    // It comes back, and is found again.
    let socket = try ForeignSocket(at: scratch.file("n"), isListening: false, isDatagram: true)
    try manager.tell(.ready)
    #expect(receive(socket) == "READY=1")
  }

  @Test("a manager that does not read is not waited for for long")
  func slow() throws {
    let scratch = try ScratchDirectory()
    let socket = try ForeignSocket(at: scratch.file("n"), isListening: false, isDatagram: true)
    let manager = try #require(try made(["NOTIFY_SOCKET": scratch.file("n")]))
    var told = 0
    let error = #expect(throws: LoopError.self) {
      while told < 100_000 {
        try manager.tell(.watchdog)
        told += 1
      }
    }
    #expect(error == LoopError("sendto", number: EAGAIN))
    #expect(told > 0)
    for _ in 0..<told { #expect(receive(socket) == "WATCHDOG=1") }
    try manager.tell(.stopping)
  }

  @Test(
    "the watchdog's time counts only where this process is meant",
    arguments: [
      ([:], nil), (["WATCHDOG_USEC": "30000000"], .seconds(30)),
      (["WATCHDOG_USEC": "1", "WATCHDOG_PID": "7"], .microseconds(1)),
      (["WATCHDOG_USEC": "1", "WATCHDOG_PID": "8"], nil), (["WATCHDOG_USEC": "0"], nil),
      (["WATCHDOG_USEC": "-5"], nil), (["WATCHDOG_USEC": "soon"], nil),
      (["WATCHDOG_USEC": "1", "WATCHDOG_PID": "x"], nil),
    ] as [([String: String], Duration?)])
  func watchdog(variables: [String: String], expected: Duration?) throws {
    let all = variables.merging(["NOTIFY_SOCKET": "/nowhere"]) { one, _ in one }
    #expect(try #require(try made(all)).watchdogInterval == expected)
  }

  private func made(_ variables: [String: String]) throws -> ServiceManager? {
    try ServiceManager(in: { variables[$0] }, process: 7)
  }

  private func receive(_ socket: ForeignSocket) -> String {
    var bytes = [UInt8](repeating: 0, count: 1000)
    let count = recv(socket.descriptor, &bytes, bytes.count, 0)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  private func monotonicMicroseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }
}
