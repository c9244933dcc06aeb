#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif
import EventLoop
import HistoryTestSupport
import Testing

@Suite("Files of the loop module")
struct FileTests {
  @Test("a file is replaced whole, and nothing is left beside it")
  func replaced() throws {
    let directory = try TemporaryDirectory()
    let file = DurableFile(path: directory.file("cursor"))
    #expect(try file.read(limit: 100) == nil)
    try file.replace(with: Array("first".utf8))
    try file.replace(with: Array("second".utf8))
    #expect(try file.read(limit: 100) == Array("second".utf8))
    #expect(try file.read(limit: 3) == Array("sec".utf8))
  }

  @Test("a file that several threads replace at once is always the whole of one's")
  func replacedAtOnce() async throws {
    let directory = try TemporaryDirectory()
    let file = DurableFile(path: directory.file("facts"))
    let contents = (0...3 as ClosedRange<UInt8>).map { [UInt8](repeating: $0, count: 50_000) }
    try file.replace(with: contents[0])
    // Threads of their own: those of the pool may be too few to write at once.
    let threads = try (1...3).map { try LoopExecutor.onOwnThread(name: "writer \($0)") }
    defer { for thread in threads { thread.shutdown() } }
    let writers = zip(threads, contents.dropFirst()).map { thread, content in
      Task(executorPreference: thread) {
        for _ in 0..<50 { try file.replace(with: content) }
      }
    }
    for _ in 0..<100 {
      #expect(contents.contains(try file.read(limit: 100_000) ?? []))
    }
    for writer in writers { try await writer.value }
    #expect(try FileNames.list(directory.path) == ["facts"])
  }

  @Test("a file that cannot be written stays as it is")
  func refused() throws {
    let directory = try TemporaryDirectory()
    let file = DurableFile(path: directory.file("no/such/place"))
    #expect(throws: DurableFile.Failure.self) { try file.replace(with: [1]) }
  }

  @Test("a lock has one owner at a time, and goes with it")
  func locked() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("lock")
    var first: FileLock? = try FileLock(path: path)
    #expect(throws: FileLock.Refusal.taken) { try FileLock(path: path) }
    _ = first
    first = nil
    _ = try FileLock(path: path)
  }

  @Test("a lock that is refused closes nothing that is somebody else's")
  func refusedLock() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("lock")
    let first = try FileLock(path: path)
    // Whoever opens a file meanwhile may get the number that the refused lock had.
    let other = Task.detached {
      (0..<20_000).count { _ in
        let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        return (0..<5).contains { _ in fcntl(descriptor, F_GETFD) < 0 }
      }
    }
    for _ in 0..<20_000 {
      #expect(throws: FileLock.Refusal.taken) { try FileLock(path: path) }
    }
    #expect(await other.value == 0)
    _ = first
  }

  @Test("a spool gives back what was appended, in pieces and to the end")
  func spooled() throws {
    let spool = try SpoolFile()
    try spool.append(Array(0..<200))
    #expect(try spool.next(150) == Array(0..<150))
    try spool.append([7, 8])
    #expect(try spool.next(150) == Array(150..<200) + [7, 8])
    #expect(try spool.next(150).isEmpty)
    #expect(spool.count == 202)
  }

  #if os(Linux)
    @Test("what was spooled is no concern of programs that are started meanwhile")
    func spoolAndChildren() throws {
      let executor = try LoopExecutor()
      let spool = try SpoolFile()
      try spool.append([1])
      let listed = try executor.runUntilComplete {
        let child = try ChildProcess(
          .init(["sh", "-c", "ls -l /proc/self/fd"], output: .pipe), on: executor)
        var listed: [UInt8] = []
        while let more = try await child.output?.read(), !more.isEmpty { listed += more }
        _ = try await child.exit()
        return listed
      }
      #expect(!String(decoding: listed, as: UTF8.self).contains("historywatch-"))
      withExtendedLifetime(spool) {}
    }
  #endif

  @Test("a gate that was opened before lets the next one through, once")
  func gate() async throws {
    try await onLoop { executor in
      let gate = try LoopGate(on: executor)
      gate.open()
      gate.open()
      #expect(await gate.wait(for: nil))
      #expect(await !gate.wait(for: .milliseconds(1)))
    }
  }

  @Test("a gate lets whoever waits through as soon as it is opened")
  func opened() async throws {
    try await onLoop { executor in
      let gate = try LoopGate(on: executor)
      let timer = try LoopTimer(on: executor)
      timer.start(after: .milliseconds(1)) { gate.open() }
      #expect(await gate.wait(for: nil))
    }
  }
}
