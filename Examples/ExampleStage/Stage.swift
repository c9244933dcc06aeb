import HistoryKit

/// What an example plays on: a fresh tracked store, and other processes that work on it.
public final class Stage: Sendable {
  /// What another process of the same program does, with the store's path and other words.
  public typealias Role = @Sendable (_ database: String, _ words: [String]) async throws -> Void

  /// The path of the store.
  public let database: String
  /// How many rounds to play.
  public let rounds: Int
  private let directory: ScratchDirectory
  let loop: LoopExecutor

  private init(_ schema: String, rounds: Int) throws {
    directory = try ScratchDirectory(named: "historywatch-example")
    database = directory.path + "/store.db"
    self.rounds = rounds
    loop = try LoopExecutor.onOwnThread(name: "processes")
    try Connection(creating: database).execute("PRAGMA journal_mode = WAL; \(schema)")
    _ = try Tracker(TrackedStore(path: database, access: .readWrite)).track(.init())
  }

  deinit { loop.letGo() }

  /// Plays an example, or the role that another process of it has given this one.
  ///
  /// An error is printed, and ends the program with code 1.
  ///
  /// - Parameters:
  ///   - schema: The SQL that makes the tables.
  ///   - rounds: How many rounds to play unless the command line says `--rounds N`.
  ///   - roles: What other processes of the program do.
  ///   - body: The example.
  public static func play(
    _ schema: String, rounds: Int, roles: [String: Role] = [:],
    _ body: @Sendable (Stage) async throws -> Void
  ) async {
    let words = ProcessEnvironment.arguments() ?? []
    do {
      if words.count >= 2, let role = roles[words[0]] {
        try await role(words[1], Array(words[2...]))
      } else if words.isEmpty {
        try await Stage(schema, rounds: rounds).play(body)
      } else if words.count == 2, words[0] == "--rounds", let count = Int(words[1]), count > 0 {
        try await Stage(schema, rounds: count).play(body)
      } else {
        print("usage: [--rounds N]")
        ProcessEnvironment.exit(2)
      }
    } catch {
      Self.report(error)
      ProcessEnvironment.exit(1)
    }
  }

  private func play(_ body: @Sendable (Stage) async throws -> Void) async throws {
    defer { directory.remove() }
    try await body(self)
  }

  private static func report(_ error: any Error) {
    guard let loop = try? LoopExecutor() else { return }
    try? loop.runUntilComplete {
      try await OutputPort(descriptor: 2, on: loop).write(Array("error: \(error)\n".utf8))
    }
  }
}
