/// The `completions` command.
enum CompletionsCommand {
  static func run(
    _ arguments: ParsedArguments, in program: isolated Program
  ) async throws -> ExitCode {
    // The parser lets no other word through.
    guard let shell = arguments.operand("SHELL").flatMap(CompletionScript.Shell.init) else {
      return .usage
    }
    try await program.print(CompletionScript(shell).text)
    return .success
  }
}
