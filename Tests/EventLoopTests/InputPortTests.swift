import EventLoop
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite("Input port", .timeLimit(.minutes(1)))
struct InputPortTests {
  @Test("it waits for bytes, gets them, and sees the end")
  func readsToTheEnd() async throws {
    try await onLoop { executor in
      let pipe = try Pipe()
      let port = InputPort(descriptor: pipe.reading, on: executor)
      let timer = try LoopTimer(on: executor)
      timer.start(after: .milliseconds(1)) { _ = write(pipe.writing, "abc", 3) }
      let first = try await port.read()
      #expect(first == Array("abc".utf8))
      timer.start(after: .milliseconds(1)) { pipe.closeWriting() }
      let second = try await port.read()
      #expect(second == [])
    }
  }

  @Test("it reads files, in pieces")
  func readsFiles() async throws {
    let scratch = try ScratchDirectory()
    append("hello", to: scratch.file("f"))
    try await onLoop { executor in
      let file = open(scratch.file("f"), O_RDONLY)
      defer { close(file) }
      let port = InputPort(descriptor: file, on: executor)
      var pieces: [String] = []
      for _ in 1...3 {
        pieces.append(String(decoding: try await port.read(atMost: 3), as: UTF8.self))
      }
      #expect(pieces == ["hel", "lo", ""])
    }
  }

  @Test("cancelling the task ends a waiting read")
  func cancelling() async throws {
    try await onLoop { executor in
      let pipe = try Pipe()
      let port = Confined(InputPort(descriptor: pipe.reading, on: executor))
      let reader = Task(executorPreference: executor) { try await port.value.read() }
      await Task.yield()
      reader.cancel()
      let result = await reader.result
      #expect(throws: LoopError.self) { try result.get() }
    }
  }
}
