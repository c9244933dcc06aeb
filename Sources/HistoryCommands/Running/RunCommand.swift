import HistoryModel

/// The `run` command.
enum RunCommand {
  static func run(
    _ arguments: ParsedArguments, in program: isolated Program
  ) async throws -> ExitCode {
    let options = try RunOptions(arguments)
    return try await RunSession(options, program).run()
  }
}
