import HistoryModel
import HistoryStore
import SQLite

/// The `consumer` command.
enum ConsumerCommand {
  static func run(
    _ arguments: ParsedArguments, in program: isolated Program
  ) async throws -> ExitCode {
    let isReading = arguments.action == "list"
    let store = try TrackedStore(
      path: arguments.database, access: isReading ? .readOnly : .readWrite)
    let consumers = Consumers(store)
    let name = arguments.operand("NAME") ?? ""
    switch arguments.action {
    case "create":
      let position = try arguments.value("at").map { text throws(HistoryError) in
        try StreamOptions.position(text)
      }
      let token = try HistoryError.onExpiry("make it where the history begins, with --at oldest") {
        () throws(HistoryError) in try consumers.create(name, at: position ?? .now)
      }
      try await program.print("\(token)\n")
    case "acknowledge":
      let token = try HistoryToken(printed: arguments.operand("TOKEN") ?? "")
      try HistoryError.onExpiry("see where it is with: historywatch consumer list") {
        () throws(HistoryError) in try consumers.acknowledge(name, token)
      }
    case "remove":
      try consumers.remove(name)
    default:
      for consumer in try consumers.list() {
        try await program.print("\(consumer.name)\t\(consumer.lag)\t\(consumer.token)\n")
      }
    }
    return .success
  }
}
