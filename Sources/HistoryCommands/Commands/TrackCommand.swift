import HistoryModel
import HistoryStore
import SQLite

/// The `track` command.
enum TrackCommand {
  static func run(
    _ arguments: ParsedArguments, in program: isolated Program
  ) async throws -> ExitCode {
    let store = try TrackedStore(path: arguments.database, access: .readWrite)
    let outcome = try Tracker(store).track(
      Tracker.Request(
        tables: arguments.operands("TABLE"), except: arguments.values("except"),
        capture: try arguments.value("capture").map { _ in
          try arguments.choice("capture", default: Capture.changes)
        }, omitsTimes: arguments.flag("no-times"),
        makesNewIdentity: arguments.flag("new-identity")))
    for (table, capture, keepsTimes) in outcome.tracked
    where outcome.begun.contains(table) || outcome.renewed.contains(table) {
      let verb = outcome.begun.contains(table) ? "tracking" : "renewed"
      let times = keepsTimes ? "" : ", no times"
      await program.note("\(verb) \(table) (\(capture.rawValue)\(times))")
      if !keepsTimes && capture == .keys {
        await program.note(
          "  after a restore untagged changes of \(table) are recognised by their keys only")
      }
    }
    for name in outcome.remade { await program.note("made \(name) anew") }
    if arguments.flag("new-identity") {
      await program.note("it is a store of its own now: \(try store.state().storeIdentifier)")
    } else if outcome.begun.isEmpty && outcome.renewed.isEmpty && outcome.remade.isEmpty {
      await program.note("nothing to do: capture is current")
    }
    for notice in outcome.notices { await program.note(notice.sentence) }
    return .success
  }
}

/// The `untrack` command.
enum UntrackCommand {
  static func run(
    _ arguments: ParsedArguments, in program: isolated Program
  ) async throws -> ExitCode {
    let store = try TrackedStore(path: arguments.database, access: .readWrite)
    let untracker = Untracker(store)
    if arguments.flag("drop-history") {
      guard arguments.operands("TABLE").isEmpty else {
        throw HistoryError(
          .usage, "--drop-history drops the whole history, not that of one table",
          hint: "leave out the tables, or leave out --drop-history")
      }
      try untracker.dropHistory()
      await program.note("dropped the history and everything that belonged to it")
      return .success
    }
    for table in try untracker.untrack(arguments.operands("TABLE")) {
      await program.note("no longer tracking \(table)")
    }
    return .success
  }
}

extension CaptureNotice {
  /// The notice in words, for a person.
  var sentence: String {
    switch event {
    case .gap(let reason):
      let why =
        switch reason {
        case .captureWasMissing: "capture was missing"
        case .columnsWereNotCaptured: "columns were not captured"
        case .rowIDsMayHaveChanged: "its rowids may have changed"
        case .migrated: "it was migrated"
        }
      return "\(table): changes may have been missed: \(why)"
    case .schema(let action):
      switch action {
      case .columnsAdded(let names): return "\(table): columns added: \(list(names))"
      case .columnsRemoved(let names): return "\(table): columns removed: \(list(names))"
      case .columnsRenamed(let names): return "\(table): columns renamed: \(list(names))"
      case .tableRenamed(let name): return "\(table): renamed to \(name)"
      case .tableDropped: return "\(table): dropped"
      }
    }
  }

  private func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}
