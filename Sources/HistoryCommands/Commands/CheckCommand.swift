import EventLoop
import HistoryModel
import HistoryStore
import SQLite
import StoreBoundary

/// The `check` command.
enum CheckCommand {
  static func run(
    _ arguments: ParsedArguments, in program: isolated Program
  ) async throws -> ExitCode {
    let path = try arguments.database
    if arguments.flag("repair") { try await repair(path, program) }
    let store = try TrackedStore(path: path, access: .readOnly)
    var findings = try store.check()
    if DirectoryWatch.isSilent(directory: StoreNeighbours(of: path).directory) {
      findings.append(
        CheckFinding(
          needsAttention: false,
          sentence: "this file system gives no file events: observers look 20 times a second",
          hint: "keep the store on a local file system"))
    }
    for finding in findings {
      let style = program.style
      let mark =
        finding.needsAttention ? style.red("attention:") : style.dim("note:")
      try await program.print("\(mark) \(PrintableText.line(finding.sentence))\n")
      if let hint = finding.hint {
        try await program.print("  \(style.dim(PrintableText.line(hint)))\n")
      }
    }
    guard findings.contains(where: \.needsAttention) else {
      try await program.print("\(program.style.green("ok:")) nothing needs attention\n")
      return .success
    }
    return .failure
  }

  /// Fixes what can be fixed without loss, and says what it did.
  private static func repair(_ path: String, _ program: isolated Program) async throws {
    let store = try TrackedStore(path: path, access: .readWrite)
    let outcome = try Tracker(store).renew()
    for name in outcome.remade {
      try await program.print("repaired: made \(name) anew\n")
    }
    for table in outcome.renewed {
      try await program.print("repaired: renewed the capture of \(PrintableText.line(table))\n")
    }
    for notice in outcome.notices {
      try await program.print("noted: \(PrintableText.line(notice.sentence))\n")
    }
    if try store.discardOpenTag() {
      try await program.print("repaired: discarded a tag that was left open\n")
    }
  }
}
