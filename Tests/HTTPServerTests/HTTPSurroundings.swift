import EventLoop
import HTTPServer

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Runs a test's body on a loop with a thread of its own, so that a time limit can cancel it.
func onLoop(
  secluded: Bool = false, _ body: @escaping @Sendable (LoopExecutor) async throws -> Void
) async throws {
  LoopExecutor.ignoreBrokenPipes()
  let executor = try LoopExecutor.onOwnThread(name: "loop under test")
  defer { executor.shutdown() }
  try await withTaskExecutorPreference(executor) {
    #if os(Linux)
      // CLONE_FILES, which Swift's Glibc does not show: what other tests open does not count.
      if secluded, let symbol = dlsym(nil, "unshare") {
        _ = unsafeBitCast(symbol, to: (@convention(c) (CInt) -> CInt).self)(0x400)
      }
    #endif
    try await body(executor)
  }
}

/// A value that a task takes along to the loop that it belongs to.
struct Confined<Value>: @unchecked Sendable {
  // Sendable since the tasks that get it run on the loop of the one who gave it.
  let value: Value

  init(_ value: Value) { self.value = value }
}

/// How many descriptors the calling thread has.
func openDescriptorCount() -> Int {
  (0..<4096).count { fcntl(CInt($0), F_GETFD) >= 0 }
}

/// Something that is at its end before it was to be.
struct EndedEarly: Error {}

/// An answer as it came.
struct Answer: Equatable {
  let status: Int
  let headers: [String: String]
  var body = ""
}

/// A client that speaks HTTP by hand, over a real socket.
final class Client {
  let connection: SocketConnection
  private var buffer: [UInt8] = []

  nonisolated(nonsending) init(_ listener: HTTPListener, on executor: LoopExecutor) async throws {
    connection = try await SocketConnection.connect(to: listener.address, on: executor)
  }

  func send(_ text: String) { _ = connection.offer(Array(text.utf8)) }

  /// Asks for a path under the name that the server has.
  func ask(
    _ path: String, of listener: HTTPListener, method: String = "GET", _ headers: String...
  ) {
    let lines = ["\(method) \(path) HTTP/1.1", "Host: \(listener.address)"] + headers
    send(lines.joined(separator: "\r\n") + "\r\n\r\n")
  }

  /// Reads the status and the headers.
  nonisolated(nonsending) func head() async throws -> Answer {
    var lines: [String] = []
    while let line = try await line(), !line.isEmpty { lines.append(line) }
    guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { throw EndedEarly() }
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      headers[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
    }
    return Answer(status: status, headers: headers)
  }

  /// Reads an answer that says how long it is.
  nonisolated(nonsending) func answer() async throws -> Answer {
    var answer = try await head()
    guard let length = answer.headers["content-length"].flatMap({ Int($0) }) else { return answer }
    answer.body = String(decoding: try await take(length), as: UTF8.self)
    return answer
  }

  /// Reads a piece of an answer that comes in pieces; nil is its end.
  nonisolated(nonsending) func chunk() async throws -> String? {
    guard let line = try await line(), let length = Int(line, radix: 16) else { throw EndedEarly() }
    let bytes = try await take(length)
    _ = try await self.line()
    return length == 0 ? nil : String(decoding: bytes, as: UTF8.self)
  }

  /// Reads and forgets until the server has closed the connection.
  nonisolated(nonsending) func end() async {
    buffer = []
    while let bytes = try? await connection.read(), !bytes.isEmpty {}
  }

  private nonisolated(nonsending) func line() async throws -> String? {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(
          decoding: buffer[..<end].filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
        buffer.removeFirst(end + 1)
        return line
      }
      guard try await more() else { return nil }
    }
  }

  private nonisolated(nonsending) func take(_ count: Int) async throws -> [UInt8] {
    while buffer.count < count {
      guard try await more() else { throw EndedEarly() }
    }
    defer { buffer.removeFirst(count) }
    return Array(buffer[..<count])
  }

  private nonisolated(nonsending) func more() async throws -> Bool {
    let bytes = try await connection.read()
    buffer += bytes
    return !bytes.isEmpty
  }
}

extension SocketAddress {
  /// Where tests listen: the loopback, at a port that the system chooses.
  static let anyPort = SocketAddress.internet(host: "127.0.0.1", port: 0)
}

/// Answers with the path and nothing else.
func echo(_ request: HTTPRequest, _ exchange: HTTPExchange) {
  exchange.respond(HTTPResponse(contentType: "text/plain", body: Array(request.path.utf8)))
}
