import EventLoop
import HistoryModel
import HistoryStore
import SQLite

/// The `trim` command.
enum TrimCommand {
  static func run(
    _ arguments: ParsedArguments, in program: isolated Program
  ) async throws -> ExitCode {
    let policies = try policies(arguments)
    let store = try TrackedStore(path: arguments.database, access: .readWrite)
    let trimmer = HistoryTrimmer(store)
    var transactions = 0
    var changes = 0
    var last: HistoryTrimmer.Outcome?
    // Each rule drops what it does not keep; several together keep what all of them keep.
    for policy in policies {
      let outcome = try trimmer.trim(keeping: policy, isForced: arguments.flag("force"))
      transactions += outcome.transactions
      changes += outcome.changes
      last = outcome
    }
    guard let last else { return .success }
    try await HistorySweeper(store).finish {
      try await LoopTimer.sleep(for: $0, on: program.executor)
    }
    let counted = "\(count(transactions, "transaction")), \(count(changes, "change"))"
    try await program.print("dropped \(counted); oldest is \(last.oldest)\n")
    if let holder = last.heldBy {
      await program.note("the consumer \(holder) has not read the rest yet; --force drops it too")
    }
    return .success
  }

  private static func count(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }

  private static func policies(
    _ arguments: ParsedArguments
  ) throws(HistoryError) -> [RetentionPolicy] {
    var policies: [RetentionPolicy] = []
    if let age = try arguments.duration("older-than") {
      policies.append(.since(CalendarTime.now.before(age)))
    }
    if let count = try arguments.count("keep-last") { policies.append(.newest(count)) }
    if let text = arguments.value("through") {
      policies.append(.after(try HistoryToken(printed: text)))
    }
    if let size = try arguments.size("max-size") { policies.append(.size(Int64(size))) }
    return policies
  }
}
