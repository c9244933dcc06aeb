import EventLoop
import HistoryModel
import HistoryObservation
import HistoryStore
import SQLite
import StoreBoundary

/// What `snapshot` was asked for.
struct SnapshotOptions: Sendable {
  let database: String
  /// What is kept current.
  let request: ResultsRequest
  /// The same, to be read together with the version of the schema.
  let query: FactsQuery
  let file: SnapshotFile
  let isFollowing: Bool
  /// When changes that follow each other become one file.
  let policy: PassStateMachine.Policy
  /// The program to run after each file, and its arguments; none where there is nothing to run.
  let command: [String]

  init(_ arguments: ParsedArguments) throws(HistoryError) {
    database = try arguments.database
    request = ResultsRequest(query: try arguments.query, arguments: try arguments.bindings)
    query = FactsQuery(
      SingleQuery(request.query, arguments: request.arguments), at: database)
    guard let output = arguments.value("output") else {
      throw HistoryError(
        .usage, "snapshot needs a file", hint: "add --output FILE, where the facts are to be")
    }
    guard !Self.isPart(output, of: database) else {
      throw HistoryError(
        .usage, "\(output) is a file of the database itself", hint: "give --output another file")
    }
    // Whoever may read the database may read what is in it.
    file = SnapshotFile(path: output, like: database)
    isFollowing = arguments.flag("follow")
    command = arguments.operands("COMMAND")
    policy = PassStateMachine.Policy(
      debounce: try arguments.duration("debounce") ?? .milliseconds(250),
      maximumWait: try arguments.duration("max-wait") ?? .seconds(2))
    if !isFollowing {
      for option in ["debounce", "max-wait"] where arguments.flag(option) {
        throw Self.needsFollow("--\(option)")
      }
      if !command.isEmpty {
        throw Self.needsFollow(
          "a command", "; a shell runs something after a single snapshot by &&")
      }
    }
  }

  /// Whether replacing a file would harm the database.
  private static func isPart(_ path: String, of database: String) -> Bool {
    let neighbours = StoreNeighbours(of: database)
    let files =
      ["", "-wal", "-shm", "-journal"].map { neighbours.database + $0 }
      + [neighbours.marker, neighbours.lock]
    if files.contains(FileNames.resolved(path)) { return true }
    return DatabaseFile(path: database)?.isStill(at: path) ?? false
  }

  private static func needsFollow(_ what: String, _ otherwise: String = "") -> HistoryError {
    HistoryError(
      .usage, "\(what) is of use only with --follow", hint: "add --follow\(otherwise)")
  }
}
