import EventLoop
import HistoryModel

/// This very program, run once more for the demo, and the lines that it prints.
///
/// It shares our process group, so that Ctrl-C reaches it as well.
final class DemoProcess {
  private let command: String
  private let child: ChildProcess
  private let output: InputPort
  private var received: [UInt8] = []

  /// Starts it with some arguments.
  init(_ arguments: [String], _ program: isolated Program) throws(HistoryError) {
    command = arguments.first ?? ""
    let path = ProcessEnvironment.executablePath() ?? "historywatch"
    do throws(LoopError) {
      child = try ChildProcess(
        .init([path] + arguments, output: .pipe), on: program.executor)
    } catch {
      throw HistoryError(.temporary, "the demo could not start \(path): \(error)", cause: error)
    }
    guard let output = child.output else {
      preconditionFailure("The output was asked for as a pipe.")
    }
    self.output = output
  }

  /// The next line that it prints, or nil once it prints no more.
  nonisolated(nonsending) func line() async throws -> String? {
    while true {
      if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: received[..<end], as: UTF8.self)
        received.removeSubrange(...end)
        return line
      }
      let bytes = try await output.read()
      if bytes.isEmpty { return nil }
      received += bytes
    }
  }

  /// Waits until it has ended by itself.
  nonisolated(nonsending) func finish() async {
    _ = try? await child.exit()
  }

  /// Ends it if it still runs, and waits until it is gone.
  nonisolated(nonsending) func stop() async {
    child.send(.terminate)
    await finish()
  }

  /// What to say when it printed less than it should.
  var endedEarly: HistoryError {
    HistoryError(.temporary, "the demo's historywatch \(command) ended early")
  }
}
