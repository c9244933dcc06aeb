import EventLoop
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite("Output port", .timeLimit(.minutes(1)))
struct OutputPortTests {
  init() { LoopExecutor.ignoreBrokenPipes() }

  @Test("what a pipe takes at once goes out whole, and the pipe stays blocking for others")
  func smallWrite() async throws {
    try await onLoop { executor in
      let pipe = try Pipe()
      let port = OutputPort(descriptor: pipe.writing, on: executor)
      try await port.write(Array("hello\n".utf8))
      #expect(pipe.take(100) == Array("hello\n".utf8))
      #expect(!pipe.isNonBlocking)
    }
  }

  @Test("a slow reader suspends the writer, not the loop, and gets every byte")
  func slowReader() async throws {
    try await onLoop { executor in
      let pipe = try Pipe()
      let port = OutputPort(descriptor: pipe.writing, on: executor)
      let sent = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
      let (received, complete) = (Received(), Happening(on: executor))
      let timer = try LoopTimer(on: executor)
      timer.start(after: .zero, repeating: .milliseconds(1)) {
        received.bytes += pipe.take(min(100_000, sent.count - received.bytes.count))
        guard received.bytes.count == sent.count else { return }
        timer.stop()
        complete.happened()
      }
      try await port.write(sent)
      #expect(received.bytes.count >= sent.count - 65536)
      try await complete.reached(1)
      #expect(received.bytes == sent)
      #expect(!pipe.isNonBlocking)
    }
  }

  @Test("a reader that goes away ends a waiting write, and the next")
  func readerGone() async throws {
    try await onLoop { executor in
      let pipe = try Pipe()
      let port = OutputPort(descriptor: pipe.writing, on: executor)
      let timer = try LoopTimer(on: executor)
      timer.start(after: .milliseconds(1)) { pipe.closeReading() }
      await #expect(throws: OutputError.readerGone) {
        try await port.write([UInt8](repeating: 0, count: 200_000))
      }
      await #expect(throws: OutputError.readerGone) { try await port.write([0]) }
    }
  }

  @Test("a reader that goes away while nothing is written is noticed, once")
  func idleReaderGone() async throws {
    try await onLoop { executor in
      let pipe = try Pipe()
      let port = OutputPort(descriptor: pipe.writing, on: executor)
      let gone = Happening(on: executor)
      port.watchForReader { gone.happened() }
      try await port.write([1, 2, 3])
      #expect(pipe.take(10) == [1, 2, 3])
      pipe.closeReading()
      try await gone.reached(1)
      let turns = Happening(on: executor)
      let timer = try LoopTimer(on: executor)
      timer.start(after: .zero, repeating: .milliseconds(1)) { turns.happened() }
      try await turns.reached(3)
      #expect(gone.count == 1)
    }
  }

  @Test("abandoning ends a waiting write; what follows a torn one is refused")
  func abandon() async throws {
    try await onLoop { executor in
      let pipe = try Pipe()
      let port = OutputPort(descriptor: pipe.writing, on: executor)
      executor.perform { [port = Confined(port)] in port.value.abandon() }
      await #expect(throws: OutputError.abandoned) {
        try await port.write([UInt8](repeating: 0, count: 200_000))
      }
      await #expect(throws: OutputError.abandoned) { try await port.write([0]) }
    }
  }

  @Test("after abandoning, a write still succeeds if nothing was torn and it need not wait")
  func farewell() async throws {
    try await onLoop { executor in
      let pipe = try Pipe()
      let port = OutputPort(descriptor: pipe.writing, on: executor)
      port.abandon()
      try await port.write([7])
      #expect(pipe.take(10) == [7])
    }
  }

  @Test("cancelling the task ends a waiting write")
  func cancelling() async throws {
    try await onLoop { executor in
      let pipe = try Pipe()
      let port = Confined(OutputPort(descriptor: pipe.writing, on: executor))
      let writer = Task(executorPreference: executor) {
        try await port.value.write([UInt8](repeating: 0, count: 200_000))
      }
      await Task.yield()
      writer.cancel()
      let result = await writer.result
      #expect(throws: OutputError.abandoned) { try result.get() }
    }
  }

  @Test("a full device and a wrong descriptor are failures with their numbers")
  func failures() async throws {
    try await onLoop { executor in
      let full = open("/dev/full", O_WRONLY)
      defer { close(full) }
      await #expect(throws: OutputError.failed(ENOSPC)) {
        try await OutputPort(descriptor: full, on: executor).write([0])
      }
      await #expect(throws: OutputError.failed(EBADF)) {
        try await OutputPort(descriptor: -1, on: executor).write([0])
      }
    }
  }
}

/// Something of the loop's that a task on the loop refers to.
struct Confined<Value>: @unchecked Sendable {
  // Every test that uses it stays on one loop.
  let value: Value
  init(_ value: Value) { self.value = value }
}

private final class Received { var bytes: [UInt8] = [] }
