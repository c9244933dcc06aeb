import EventLoop
import HistoryModel
import HistoryStore
import SQLite

/// The idea in ten seconds, on a temporary store: two writers, each with an author, the stream of
/// what they commit, and a token that reading goes on from.
///
/// Nothing is staged: the commands shown run as processes of their own, and the lines are those of
/// a stream that follows.
final class Demo {
  private let path: String
  private let screen: DemoScreen
  private let widget: Connection
  /// The temporary place, which goes with the demo, after all that used it.
  private let directory: ScratchDirectory

  init(
    in directory: ScratchDirectory, on screen: DemoScreen, _ program: isolated Program
  ) throws {
    self.directory = directory
    self.screen = screen
    path = directory.path + "/demo.db"
    widget = try HistoryError.translatingDemo(at: path) { [path] in
      let connection = try Connection(creating: path)
      try connection.execute(
        """
        PRAGMA journal_mode = WAL;
        CREATE TABLE tasks(id INTEGER PRIMARY KEY, title TEXT, done INTEGER DEFAULT 0);
        """)
      return connection
    }
  }

  func run(_ program: isolated Program) async throws {
    try await screen.say("Any program may write this database. It keeps its history:", program)
    try await screen.type("historywatch track demo.db", program)
    _ = try Tracker(TrackedStore(path: path, access: .readWrite)).track(Tracker.Request())

    try await screen.say("Somebody watches it …", program)
    try await screen.type("historywatch stream demo.db &", program)
    let stream = try DemoProcess(["stream", path], program)
    do {
      let token = try await watch(stream, program)
      await stream.stop()
      try await resume(after: token, program)
    } catch {
      await stream.stop()
      throw error
    }
    try await screen.end(program)
  }

  /// Shows two writers beside the stream.
  ///
  /// - Returns: The position after the first of them.
  private func watch(_ stream: DemoProcess, _ program: isolated Program) async throws -> String {
    try await show(stream, through: "hello", program)

    try await screen.say("… while an app writes through historywatch …", program)
    let insert = "INSERT INTO tasks(title) VALUES ('buy milk'), ('call Ada')"
    try await screen.type(
      "historywatch write demo.db --author app \\\n    \"\(insert)\"", program)
    let writer = try DemoProcess(["write", path, "--author", "app", insert], program)
    let token = try await writer.line()
    await writer.finish()
    try screen.check()
    guard let token else { throw writer.endedEarly }
    try await show(stream, through: "commit", program)

    try await screen.say("… and a widget in plain SQL, as any language can:", program)
    let script = [
      "BEGIN IMMEDIATE;",
      "INSERT INTO history_author(name) VALUES ('widget');",
      "UPDATE tasks SET done = 1 WHERE title = 'buy milk';",
      "DELETE FROM history_author;",
      "COMMIT;",
    ].joined(separator: "\n")
    try await screen.type("sqlite3 demo.db <<SQL\n\(script)\nSQL", program)
    try HistoryError.translatingDemo(at: path) { try widget.execute(script) }
    try await show(stream, through: "commit", program)
    return token
  }

  private func resume(after token: String, _ program: isolated Program) async throws {
    try await screen.say("Whoever was away goes on from a token, and misses nothing:", program)
    try await screen.type(
      "historywatch stream demo.db --no-follow \\\n    --since \(token)", program)
    let stream = try DemoProcess(["stream", path, "--no-follow", "--since", token], program)
    try await show(stream, through: "bye", program)
    await stream.stop()
  }

  /// Prints the lines of a stream up to the first of a kind.
  private func show(
    _ stream: DemoProcess, through kind: String, _ program: isolated Program
  ) async throws {
    while true {
      try screen.check()
      guard let line = try await stream.line() else {
        try screen.check()
        throw stream.endedEarly
      }
      try await screen.show(line, program)
      if line.hasPrefix("{\"kind\":\"\(kind)\"") { return }
    }
  }
}

extension HistoryError {
  /// Runs something on the demo's own database.
  fileprivate static func translatingDemo<T>(
    at path: String, _ body: () throws -> T
  ) throws(HistoryError) -> T {
    do {
      return try body()
    } catch {
      throw HistoryError(.temporary, "the demo's store at \(path) failed: \(error)", cause: error)
    }
  }
}
