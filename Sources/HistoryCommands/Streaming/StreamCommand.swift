import HistoryModel

/// The `stream` command.
enum StreamCommand {
  static func run(
    _ arguments: ParsedArguments, in program: isolated Program
  ) async throws -> ExitCode {
    if let socket = arguments.value("socket") {
      let options = try RemoteStreamOptions(socket: socket, arguments)
      return try await RemoteStreamSession(options, program).run(in: program)
    }
    let options = try StreamOptions(arguments)
    let session = try StreamSession(options, program)
    return try await session.run(in: program)
  }
}
