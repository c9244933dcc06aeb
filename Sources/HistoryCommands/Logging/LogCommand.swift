import EventLoop
import HistoryModel
import HistoryStore
import SQLite

/// The `log` command.
enum LogCommand {
  static func run(
    _ arguments: ParsedArguments, in program: isolated Program
  ) async throws -> ExitCode {
    do {
      try await show(arguments, through: pager(arguments), in: program)
    } catch is Pager.Missing {
      try await show(arguments, through: nil, in: program)
    }
    return .success
  }

  /// The pager to use; nil for none.
  private static func pager(_ arguments: ParsedArguments) -> PagerChoice? {
    guard ProcessEnvironment.isTerminal(1), !arguments.flag("no-pager") else { return nil }
    return PagerChoice(variable: ProcessEnvironment.value)
  }

  /// Shows entries until there are no more or they are not wanted.
  ///
  /// The pager starts with the first entry, so that it does not cover what is said of a log that
  /// cannot be read or is empty.
  private static func show(
    _ arguments: ParsedArguments, through choice: PagerChoice?, in program: isolated Program
  ) async throws {
    let store = try TrackedStore(path: arguments.database, access: .readOnly)
    let filter = try StreamOptions.filter(arguments)
    let note = try filter.noteOfUntracked(in: store)
    var pages = try LogPages(store, filter: filter)
    let isJSON = arguments.flag("json")
    let layout = LogLayout(style: program.style, width: LogLayout.width)
    var remaining = try arguments.count("limit") ?? .max
    var pager: Pager?
    var hasPrinted = false
    reading: while remaining > 0, let page = try pages.next(isJSON ? nil : layout) {
      for entry in page {
        if let choice {
          let chosen = try pager ?? Pager(choice, program)
          pager = chosen
          hasPrinted = true
          guard try await chosen.write(entry.text, program) else { break reading }
        } else {
          try await program.output.write(entry.text)
        }
        hasPrinted = true
        // A notice does not count.
        if entry.isTransaction { remaining -= 1 }
        if remaining == 0 { break reading }
      }
    }
    try await pager?.finish(program)
    if !hasPrinted && !isJSON {
      await program.note("nothing has been recorded yet, or nothing that matches")
      if let note { await program.note("historywatch: \(note)") }
    }
  }
}
