import EventLoop

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A directory that is removed with everything in it when it goes out of use.
final class ScratchDirectory: Sendable {
  let path: String

  init() throws {
    var template = Array("/tmp/EventLoopTests.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemFailure(number: errno) }
    path = template.withUnsafeBufferPointer {
      String(decoding: $0.dropLast().map(UInt8.init), as: UTF8.self)
    }
  }

  deinit { _ = try? shell("rm -rf '\(path)'") }

  func file(_ name: String) -> String { "\(path)/\(name)" }
}

struct SystemFailure: Error { let number: CInt }

/// Starts a command in another process.
func spawn(_ command: String) throws -> pid_t {
  var process = pid_t()
  var arguments: [UnsafeMutablePointer<CChar>?] = ["sh", "-c", command].map { (argument: String) in
    strdup(argument)
  }
  defer { for argument in arguments { free(argument) } }
  arguments.append(nil)
  let failure = posix_spawn(&process, "/bin/sh", nil, nil, arguments, environ)
  guard failure == 0 else { throw SystemFailure(number: failure) }
  return process
}

/// Runs a command in another process to its end.
@discardableResult
func shell(_ command: String) throws -> CInt {
  let process = try spawn(command)
  var status: CInt = 0
  while waitpid(process, &status, 0) < 0, errno == EINTR {}
  return status
}

/// Appends text to a file, as one write.
func append(_ text: String, to path: String) {
  let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
  defer { close(descriptor) }
  _ = text.withCString { write(descriptor, $0, strlen($0)) }
}

/// A pipe whose ends are closed when it goes out of use.
final class Pipe {
  private(set) var reading: CInt
  private(set) var writing: CInt

  init() throws {
    var ends: [CInt] = [0, 0]
    guard pipe(&ends) == 0 else { throw SystemFailure(number: errno) }
    (reading, writing) = (ends[0], ends[1])
  }

  /// Two connected sockets instead.
  init(ofSockets: Void) throws {
    var ends: [CInt] = [0, 0]
    #if os(Linux)
      let kind = CInt(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw SystemFailure(number: errno) }
    (reading, writing) = (ends[0], ends[1])
  }

  deinit {
    closeReading()
    closeWriting()
  }

  func closeReading() {
    if reading >= 0 { close(reading) }
    reading = -1
  }

  func closeWriting() {
    if writing >= 0 { close(writing) }
    writing = -1
  }

  /// Reads what is there, at most `count` bytes.
  func take(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let taken = read(reading, &bytes, count)
    return Array(bytes.prefix(max(0, taken)))
  }

  /// Whether the open file description that both ends' holders share was made non-blocking.
  var isNonBlocking: Bool { fcntl(writing, F_GETFL) & O_NONBLOCK != 0 }
}
