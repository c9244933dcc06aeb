import EventLoop
import HistoryTestSupport

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A pipe with a name, by which a command tells a test how far it is.
final class NamedPipe: Sendable {
  let path: String
  let descriptor: CInt

  init(in directory: TemporaryDirectory) throws {
    path = directory.file("pipe")
    _ = mkfifo(path, 0o600)
    descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw DurableFile.Failure(operation: "opening", number: errno) }
  }

  deinit { close(descriptor) }

  /// What is written until nobody has the pipe open for writing any more.
  nonisolated(nonsending) func text(on executor: LoopExecutor) async throws -> String {
    let port = InputPort(descriptor: descriptor, on: executor)
    var bytes: [UInt8] = []
    while true {
      let more = try await port.read()
      if more.isEmpty { return String(decoding: bytes, as: UTF8.self) }
      bytes += more
    }
  }
}
