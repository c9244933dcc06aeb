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
    guard let query = arguments.value("query") else {
      throw HistoryError(
        .usage, "results needs a query", hint: "add --query 'SELECT …', one statement that reads")
    }
    var named: [String: StoredValue] = [:]
    for text in arguments.values("bind") {
      guard let (name, value) = QueryArguments.assignment(typed: text) else {
        throw HistoryError(
          .usage, "--bind takes NAME=VALUE", hint: "such as --bind done=0, or --bind title=milk")
      }
      named[name] = value
    }
    return ResultsRequest(
      query: query, arguments: QueryArguments([], named: named), key: arguments.values("key"),
      section: arguments.value("section"))
  }
}
