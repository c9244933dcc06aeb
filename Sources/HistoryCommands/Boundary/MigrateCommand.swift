import EventLoop
import HistoryModel
import StoreBoundary

/// The `migrate` command: the owner of a store's schema, for as long as it takes.
enum MigrateCommand {
  static func run(
    _ arguments: ParsedArguments, in program: isolated Program
  ) async throws -> ExitCode {
    let path = try arguments.database
    guard let directory = arguments.value("plan") else {
      throw HistoryError(
        .usage, "migrate needs a plan", hint: "add --plan DIR, a directory of numbered SQL files")
    }
    let plan = try MigrationPlan(directory: directory)
    var options = MigrationOptions(writer: arguments.value("writer") ?? "historywatch")
    options.createsStore = arguments.flag("create")
    if let count = try arguments.count("keep-copies") { options.copiesKept = count }
    if arguments.flag("side-by-side") { options.mode = .sideBySide }
    return try await MigrateSession(path, plan, options, program).run()
  }
}

/// One run of `migrate`, which a signal ends between two whole versions.
private final class MigrateSession: Sendable {
  private let path: String
  private let plan: MigrationPlan
  private let options: MigrationOptions
  private let program: Program
  private let signal = Guarded<ExitCode?>(nil)

  init(
    _ path: String, _ plan: MigrationPlan, _ options: MigrationOptions, _ program: Program
  ) {
    self.path = path
    self.plan = plan
    self.options = options
    self.program = program
  }

  func run() async throws -> ExitCode {
    let (events, source) = AsyncStream.makeStream(of: MigrationEvent.self)
    let migrating = Task(executorPreference: program.executor) {
      [path, plan, options] () -> Result<StoreContainer, HistoryError> in
      defer { source.finish() }
      do throws(HistoryError) {
        return .success(
          try await StoreContainer.owner(at: path, plan: plan, options: options) {
            if case .migrating(let event) = $0 { source.yield(event) }
          })
      } catch {
        return .failure(error)
      }
    }
    return try await program.showing(events, of: migrating, endedBy: signal)
  }
}

extension Program {
  /// Shows how far a migration is, until it has ended.
  fileprivate func showing(
    _ events: AsyncStream<MigrationEvent>,
    of migrating: Task<Result<StoreContainer, HistoryError>, Never>,
    endedBy signal: Guarded<ExitCode?>
  ) async throws -> ExitCode {
    let signals = try SignalWatch([.interrupt, .terminate], on: executor) { received in
      signal.withLock { $0 = received == .interrupt ? .interrupted : .terminated }
      migrating.cancel()
    }
    defer { signals.close() }
    var bar = ProgressBar(columns: ProcessEnvironment.terminalColumns(2))
    for await event in events {
      if let text = bar.text(for: event) { await log(Array(text.utf8)) }
      if let line = MigrationText.line(for: event) { try await print(line + "\n") }
    }
    if let text = bar.end() { await log(Array(text.utf8)) }
    switch await migrating.value {
    case .success(let store):
      for line in MigrationText.lines(for: store) { try await print(line + "\n") }
      return .success
    case .failure(let error):
      await complain(error)
      return signal.withLock { $0 } ?? ExitCode(error.code)
    }
  }
}

/// What `migrate` says.
enum MigrationText {
  /// What an event adds to the output; nil for nothing.
  static func line(for event: MigrationEvent) -> String? {
    switch event {
    case .copied(let path): "copied to \(PrintableText.line(path))"
    case .applied(let version, let name): "applied \(version) \(PrintableText.line(name))"
    default: nil
    }
  }

  /// What a store that is ready adds to the output; the last line says which file it is.
  static func lines(for store: StoreContainer) -> [String] {
    guard let outcome = store.migration else { return [] }
    var lines: [String] = []
    for count in outcome.rows where count.before != count.after {
      let before = count.before.map { "\($0)" } ?? "none"
      let after = count.after.map { "\($0)" } ?? "none"
      lines.append("rows of \(PrintableText.line(count.table)): \(before), now \(after)")
    }
    lines += outcome.notices.map { "noted: \(PrintableText.line($0.sentence))" }
    if outcome.applied.isEmpty { lines.append("nothing to apply") }
    return lines + ["ready: \(PrintableText.line(store.path)) has schema \(store.schema)"]
  }
}
