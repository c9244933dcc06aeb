import HistoryModel
import StoreBoundary

/// The `ready` command: whether a client may open a store.
enum ReadyCommand {
  static func run(
    _ arguments: ParsedArguments, in program: isolated Program
  ) async throws -> ExitCode {
    let path = try arguments.database
    guard let schema = try arguments.count("schema") else {
      throw HistoryError(
        .usage, "ready needs to know for which schema", hint: "add --schema N, exactly the version")
    }
    switch StoreReadiness(of: path, schema: schema) {
    case .unavailable(let error):
      // Whatever the reason is: it may not be opened.
      await program.complain(error)
      return .unavailable
    default:
      try await program.print("ready: schema \(schema)\n")
      return .success
    }
  }
}
