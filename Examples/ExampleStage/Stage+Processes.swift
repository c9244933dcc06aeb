import HistoryKit

extension Stage {
  /// Runs a Python script with the store's path and other words as its arguments.
  ///
  /// - Parameters:
  ///   - script: The script's name, of a file beside the caller's source.
  ///   - words: What follows the store's path.
  ///   - source: The caller's source.
  /// - Returns: The lines that it prints; they end when it has ended, with an error if it failed.
  public func python(
    _ script: String, _ words: String..., beside source: String = #filePath
  ) -> AsyncThrowingStream<String, any Error> {
    let end = source.lastIndex(of: "/").map { source.index(after: $0) } ?? source.startIndex
    return lines(of: ["python3", source[..<end] + script, database] + words)
  }

  /// Runs this very program as another process.
  ///
  /// - Parameters:
  ///   - role: What it does there.
  ///   - words: What that gets besides the store's path.
  /// - Returns: The lines that it prints; they end when it has ended, with an error if it failed.
  public func process(_ role: String, _ words: String...) -> AsyncThrowingStream<String, any Error>
  {
    lines(of: [ProcessEnvironment.executablePath() ?? "", role, database] + words)
  }

  private func lines(of command: [String]) -> AsyncThrowingStream<String, any Error> {
    let (lines, continuation) = AsyncThrowingStream.makeStream(of: String.self)
    // A process belongs to the loop that waits for it.
    let task = Task(executorPreference: loop) { [loop] in
      do {
        let child = try ChildProcess(.init(command, output: .pipe), on: loop)
        defer { child.send(.terminate) }
        var text: [UInt8] = []
        while let bytes = try await child.output?.read(), !bytes.isEmpty {
          text += bytes
          while let end = text.firstIndex(of: UInt8(ascii: "\n")) {
            continuation.yield(String(decoding: text[..<end], as: UTF8.self))
            text.removeSubrange(...end)
          }
        }
        let status = try await child.exit()
        guard status == .code(0) else { throw Failure(command: command, status: status) }
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    continuation.onTermination = { _ in task.cancel() }
    return lines
  }

  /// Another process did not end well.
  public struct Failure: Error, CustomStringConvertible {
    /// The program and its arguments.
    public let command: [String]
    /// How it ended.
    public let status: ChildProcess.Status

    /// What ended, and how.
    public var description: String { "\(command.joined(separator: " ")) ended with \(status)" }
  }
}
