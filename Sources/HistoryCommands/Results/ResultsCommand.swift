import HistoryModel
import HistoryObservation

/// The `results` command.
enum ResultsCommand {
  static func run(
    _ arguments: ParsedArguments, in program: isolated Program
  ) async throws -> ExitCode {
    let session = try ResultsSession(
      arguments.database, request(arguments), isFollowing: !arguments.flag("no-follow"), program)
    return try await session.run(in: program)
  }

  /// The query as it was asked for.
  private static func request(
    _ arguments: ParsedArguments
  ) throws(HistoryError) -> ResultsRequest {
    ResultsRequest(
      query: try arguments.query, arguments: try arguments.bindings, key: arguments.values("key"),
      section: arguments.value("section"))
  }
}
