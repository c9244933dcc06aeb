/// A command that can be run.
typealias CommandRunner = @Sendable (ParsedArguments, Program) async throws -> ExitCode

extension CommandRegistry {
  /// What runs each command of ``standard``, by name.
  private static let runners: [String: CommandRunner] = [
    "track": { try await TrackCommand.run($0, in: $1) },
    "untrack": { try await UntrackCommand.run($0, in: $1) },
    "stream": { try await StreamCommand.run($0, in: $1) },
    "results": { try await ResultsCommand.run($0, in: $1) },
    "status": { try await StatusCommand.run($0, in: $1) },
    "check": { try await CheckCommand.run($0, in: $1) },
    "trim": { try await TrimCommand.run($0, in: $1) },
    "consumer": { try await ConsumerCommand.run($0, in: $1) },
    "completions": { try await CompletionsCommand.run($0, in: $1) },
    "demo": { try await DemoCommand.run($0, in: $1) },
    "log": { try await LogCommand.run($0, in: $1) },
    "serve": { try await ServeCommand.run($0, in: $1) },
    "snapshot": { try await SnapshotCommand.run($0, in: $1) },
    "relay": { try await RelayCommand.run($0, in: $1) },
    "run": { try await RunCommand.run($0, in: $1) },
    "migrate": { try await MigrateCommand.run($0, in: $1) },
    "ready": { try await ReadyCommand.run($0, in: $1) },
    "diagnose": { try await DiagnoseCommand.run($0, in: $1) },
    "recover": { try await RecoverCommand.run($0, in: $1) },
    "apply": { try await ApplyCommand.run($0, in: $1) },
    "write": { try await WriteCommand.run($0, in: $1) },
  ]

  /// What runs a command.
  ///
  /// - Parameter name: The name of a command of ``standard``.
  /// - Returns: What runs it.
  static func runner(of name: String) -> CommandRunner {
    guard let runner = runners[name] else {
      preconditionFailure("The command \(name) has a table and nothing to run.")
    }
    return runner
  }
}
