import HistoryModel

/// The `serve` command.
enum ServeCommand {
  static func run(
    _ arguments: ParsedArguments, in program: isolated Program
  ) async throws -> ExitCode {
    let options = try ServeOptions(arguments)
    return try await ServeSession(options, program).run()
  }
}
