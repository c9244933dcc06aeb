import HistoryModel
import StoreBoundary

/// The `snapshot` command.
enum SnapshotCommand {
  static func run(
    _ arguments: ParsedArguments, in program: isolated Program
  ) async throws -> ExitCode {
    let options = try SnapshotOptions(arguments)
    if options.isFollowing { return try await SnapshotSession(options, program).run() }
    try options.file.replace(with: options.query.read().bytes)
    return .success
  }
}
