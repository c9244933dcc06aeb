import EventLoop
import HistoryModel
import HistorySync
import StoreBoundary

/// The `apply` command.
enum ApplyCommand {
  static func run(
    _ arguments: ParsedArguments, in program: isolated Program
  ) async throws -> ExitCode {
    let path = try arguments.database
    if arguments.flag("position") { return try await position(path, arguments, program) }
    let relayed = try relayed(arguments)
    guard relayed != nil || arguments.value("store") == nil else {
      throw HistoryError(
        .usage, "--store goes with --position, or with --from nats://HOST/STREAM",
        hint: "add one of them, or leave it")
    }
    let policy = try arguments.choice("on-conflict", default: ConflictPolicy.stop)
    let creates = arguments.flag("create")
    if creates { try StoreOwnership.makeStore(at: path) }
    let applier = try HistoryApplier(path: path, policy: policy, creates: creates)
    if arguments.flag("acknowledge-conflicts") {
      for line in try applier.conflictLines() { try await program.print(line + "\n") }
      try applier.acknowledgeConflicts()
      return .success
    }
    let resynchronizes = arguments.flag("resync")
    do {
      if let relayed {
        return try await RelayedSession(relayed, applier, program).run(in: program)
      }
      if let source = arguments.value("from"), source != "-" {
        let options = FollowSession.Options(
          source: source, isFollowing: !arguments.flag("no-follow"),
          resynchronizes: resynchronizes)
        return try await FollowSession(options, applier, program).run(in: program)
      }
      let lines = StreamApplier(applier, resynchronizes: resynchronizes)
      try await read(lines, program)
      if resynchronizes, let outcome = lines.snapshot { await program.note(sentence(outcome)) }
    } catch let error as ConflictError {
      try await show(error.conflicts, program)
      throw error.error
    }
    return .success
  }

  /// What to do where the source is the stream of a broker.
  private static func relayed(
    _ arguments: ParsedArguments
  ) throws(HistoryError) -> RelayedSession.Options? {
    guard let source = arguments.value("from"), RelayAddress.isOne(source) else { return nil }
    let stream = try RelayStream(arguments, RelayAddress(source, for: "--from"))
    return RelayedSession.Options(
      stream: stream, store: try store(arguments), isFollowing: !arguments.flag("no-follow"),
      resynchronizes: arguments.flag("resync"))
  }

  private static func store(
    _ arguments: ParsedArguments
  ) throws(HistoryError) -> StoreIdentifier? {
    guard let text = arguments.value("store") else { return nil }
    guard let store = StoreIdentifier(text) else {
      throw HistoryError(.usage, "--store takes a UUID", hint: "see it with: historywatch status")
    }
    return store
  }

  private static func position(
    _ path: String, _ arguments: ParsedArguments, _ program: isolated Program
  ) async throws -> ExitCode {
    guard let store = try store(arguments) else {
      throw HistoryError(
        .usage, "--position needs to know of which store",
        hint: "add --store UUID, as status shows it")
    }
    let held = try HistoryApplier.position(of: store, in: path)
    try await program.print((held?.description ?? "oldest") + "\n")
    return .success
  }

  /// Applies what comes on standard input, to its end.
  private static func read(
    _ lines: StreamApplier, _ program: isolated Program
  ) async throws {
    let input = InputPort(descriptor: 0, on: program.executor)
    var splitter = LineSplitter(limit: .max)
    while true {
      let chunk = try await input.read()
      splitter.append(chunk)
      while let line = chunk.isEmpty ? splitter.finish() : splitter.next() {
        guard case .whole(let line) = line else { continue }
        // What was cut off inside a line is no line.
        if chunk.isEmpty, (try? JSONValue(parsing: line, limits: .init(bytes: .max))) == nil {
          break
        }
        try await show(lines.take(line), program)
      }
      if chunk.isEmpty { break }
    }
    try lines.finish()
  }

  /// What a comparison with a snapshot has changed, as a sentence.
  static func sentence(_ outcome: SnapshotOutcome) -> String {
    let rows = { (count: Int) in "\(count) row\(count == 1 ? "" : "s")" }
    let displaced =
      outcome.displaced == 0
      ? ""
      : "; \(rows(outcome.displaced)) that only the target had had a unique value of the source's: deleted"
    return
      "compared with the snapshot: \(rows(outcome.inserted)) inserted, \(outcome.updated) updated, "
      + "\(outcome.deleted) deleted; \(rows(outcome.kept)) that only the target has kept"
      + displaced
  }

  static func show(
    _ conflicts: [SyncConflict], _ program: isolated Program
  ) async throws {
    for conflict in conflicts { try await program.print(conflict.line + "\n") }
  }
}
