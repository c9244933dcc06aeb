import HistoryModel

/// The `stream` command.
enum StreamCommand {
  static func run(
    _ arguments: ParsedArguments, in program: isolated Program
  ) async throws -> ExitCode {
    let options = try StreamOptions(arguments)
    let session = try StreamSession(options, program)
    return try await session.run(in: program)
  }
}
