import EventLoop
import HistoryModel
import StoreBoundary

/// The `diagnose` command.
enum DiagnoseCommand {
  static func run(
    _ arguments: ParsedArguments, in program: isolated Program
  ) async throws -> ExitCode {
    guard let output = arguments.value("output") else {
      throw HistoryError(
        .usage, "diagnose needs to know where to", hint: "add --output FILE, or --output -")
    }
    let diagnosis = StoreDiagnosis(
      of: try arguments.database, program: "historywatch \(Version.program)")
    if output == "-" {
      try await program.output.write(diagnosis.bytes)
      return .success
    }
    try diagnosis.write(to: output)
    await program.note("wrote \(output)")
    return .success
  }
}
