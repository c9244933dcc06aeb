private import Glibc

/// Another process that runs plain SQL on a database file, as a program of somebody else would.
///
/// It is a Python program with nothing of ours in it. Each request is answered once it is done, so
/// a test knows where the other process is without sleeping.
public final class WriterProcess {
  /// A failure that the other process met.
  public struct Failure: Error, CustomStringConvertible {
    /// The code's name and SQLite's sentence, or that the process is gone.
    public let description: String
  }

  /// How many milliseconds one script may take, more than any test's does.
  private static let patience: Int32 = 60_000

  /// The process id; nil once it was ended.
  public private(set) var processID: Int32?

  /// Our end of its standard input and output.
  private let socket: Int32
  private var received: [UInt8] = []

  /// Starts the process, and waits until it has opened the file.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - busyTimeout: How many milliseconds it waits for locks.
  ///   - isNobody: Whether it gives up the rights of root, if it has them.
  /// - Throws: ``Failure`` if it cannot open the file; ``OperatingSystemError`` if it cannot be
  ///   started.
  public init(path: String, busyTimeout: Int = 5_000, isNobody: Bool = false) throws {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw OperatingSystemError("socketpair")
    }
    socket = ends[0]
    defer { close(ends[1]) }
    processID = try Self.spawn(
      ["python3", "-c", Self.program, path, "\(busyTimeout)", isNobody ? "nobody" : ""],
      standardInputAndOutput: ends[1])
    _ = try answer()
  }

  deinit {
    kill()
    close(socket)
  }

  /// Runs a script and waits until it is done.
  ///
  /// A transaction that it begins stays open until a later script ends it.
  ///
  /// - Parameter sql: Any number of statements.
  /// - Returns: The first value of the last row, as text; empty if there was no row.
  /// - Throws: ``Failure`` if a statement fails.
  @discardableResult
  public func run(_ sql: String) throws -> String {
    try send(sql)
    return try answer()
  }

  /// Hands over a script and does not wait until it is done.
  ///
  /// - Parameter sql: Any number of statements.
  /// - Throws: ``OperatingSystemError`` if the process is gone.
  public func send(_ sql: String) throws {
    var rest = ArraySlice(Self.jsonString(sql))
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw OperatingSystemError("send") }
      rest = rest.dropFirst(count)
    }
  }

  /// Waits for the script that was sent.
  ///
  /// - Returns: As ``run(_:)`` does.
  /// - Throws: ``Failure`` if a statement failed, the process is gone, or takes a minute.
  public func answer() throws -> String {
    while true {
      if let end = received.firstIndex(of: 0x0A) {
        let line = String(decoding: received[..<end], as: UTF8.self)
        received.removeSubrange(...end)
        if line.hasPrefix("+") { return String(line.dropFirst()) }
        throw Failure(description: String(line.dropFirst()))
      }
      var question = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      let found = poll(&question, 1, Self.patience)
      if found < 0, errno == EINTR { continue }
      guard found != 0 else { throw Failure(description: "the script does not come to its end") }
      var chunk = [UInt8](repeating: 0, count: 4_096)
      let count = recv(socket, &chunk, chunk.count, 0)
      guard count > 0 else { throw Failure(description: "the process is gone") }
      received += chunk[..<count]
    }
  }

  /// Ends the process at once, as a crash would, and waits until it is gone.
  public func kill() {
    guard let processID else { return }
    Glibc.kill(processID, SIGKILL)
    waitpid(processID, nil, 0)
    self.processID = nil
  }
}
