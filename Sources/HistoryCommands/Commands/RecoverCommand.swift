import HistoryModel
import StoreBoundary

/// The `recover` command.
enum RecoverCommand {
  static func run(
    _ arguments: ParsedArguments, in program: isolated Program
  ) async throws -> ExitCode {
    guard let backup = arguments.value("from") else {
      throw HistoryError(.usage, "recover needs a backup", hint: "add --from BACKUP, a database")
    }
    let outcome = try StoreRecovery(
      of: arguments.database, from: backup, as: "historywatch recover",
      acceptsAnyStore: arguments.flag("any-store")
    ).recover()
    let path = PrintableText.line(outcome.path)
    let epoch = outcome.epoch.map { ", epoch \($0)" } ?? ""
    try await program.print("recovered \(path): \(counted(outcome))\(epoch)\n")
    if let replaced = outcome.replaced {
      try await program.print("kept what was there: \(PrintableText.line(replaced))\n")
    }
    for (table, count) in outcome.brokenReferences.sorted(by: { $0.key < $1.key }) {
      await program.note("\(table): \(count) rows refer to one that is not there, as in the backup")
    }
    if outcome.needsOwner {
      await program.note("it is not marked as ready: its owner has to open it first")
    }
    return .success
  }

  /// How many rows and tables there are, in words.
  private static func counted(_ outcome: StoreRecovery.Outcome) -> String {
    let rows = "\(outcome.rows) row\(outcome.rows == 1 ? "" : "s")"
    return "\(rows) in \(outcome.tables) table\(outcome.tables == 1 ? "" : "s")"
  }
}
