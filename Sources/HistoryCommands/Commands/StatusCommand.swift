import EventLoop
import HistoryModel
import HistoryStore
import SQLite

/// The `status` command.
enum StatusCommand {
  static func run(
    _ arguments: ParsedArguments, in program: isolated Program
  ) async throws -> ExitCode {
    let store = try TrackedStore(path: arguments.database, access: .readOnly)
    let report = try StatusReport(store)
    try await program.print(
      arguments.flag("json") ? report.json : report.text(program.style, now: .now))
    return .success
  }
}

/// What `status` says.
struct StatusReport {
  let path: String
  let state: StoreState
  let tables: [TableStatus]
  let consumers: [ConsumerPosition]
  let size: HistorySize
  let isPolling: Bool

  init(_ store: TrackedStore) throws(HistoryError) {
    path = store.path
    state = try store.state()
    tables = try store.tables(isThorough: true)
    consumers = try Consumers(store).list()
    size = try store.size()
    isPolling = DirectoryWatch.isSilent(directory: Self.directory(of: store.path))
  }

  static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// One JSON object, on one line.
  var json: String {
    let tables = tables.map { table in
      object([
        ("table", quoted(table.table)), ("capture", quoted(table.capture.rawValue)),
        ("drift", list(table.drift.map(quoted))),
      ])
    }
    let consumers = consumers.map { consumer in
      object([
        ("name", quoted(consumer.name)), ("token", quoted(consumer.token.description)),
        ("lag", "\(consumer.lag)"),
      ])
    }
    return object([
      ("store", quoted(state.storeIdentifier.description)), ("epoch", "\(state.epoch)"),
      ("head", quoted(state.head.description)), ("oldest", quoted(state.oldest.description)),
      ("tables", list(tables)), ("consumers", list(consumers)), ("size", "\(size.bytes)"),
      // No store has a readiness marker before the store boundary sets one.
      ("ready", "null"),
    ]) + "\n"
  }

  private func quoted(_ text: String) -> String {
    var bytes: [UInt8] = []
    JSONText.append(text, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private func list(_ items: [String]) -> String { "[" + items.joined(separator: ",") + "]" }

  private func object(_ fields: [(String, String)]) -> String {
    "{" + fields.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
  }
}

extension StatusReport {
  /// The report for a person.
  func text(_ style: TerminalStyle, now: CalendarTime) -> String {
    var lines = [
      style.bold(PrintableText.line(path)),
      "store    \(state.storeIdentifier)  epoch \(state.epoch)",
      "head     \(state.head)",
      "oldest   \(state.oldest)",
      "history  \(size.rows) rows, about \(Self.readable(size.bytes))",
    ]
    lines.append("tables   \(tables.isEmpty ? "none is tracked" : "")")
    for table in tables {
      let name = PrintableText.line(table.table)
      let times = table.keepsTimes ? "" : ", no times"
      let state =
        table.drift.isEmpty
        ? style.green("current") : style.yellow(table.drift.joined(separator: "; "))
      lines.append("  \(name)  \(table.capture.rawValue)\(times)  \(state)")
    }
    if !consumers.isEmpty { lines.append("consumers") }
    for consumer in consumers {
      let moved = consumer.movedAt.map {
        ", moved " + RelativeTime($0.milliseconds, now: now.milliseconds).description
      }
      lines.append(
        "  \(PrintableText.line(consumer.name))  \(consumer.lag) behind\(moved ?? "")")
    }
    if isPolling {
      lines.append(
        style.yellow("no file events can be had here: observers look 20 times a second"))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func readable(_ bytes: Int64) -> String {
    let units = [("GB", Int64(1 << 30)), ("MB", 1 << 20), ("KB", 1 << 10)]
    for (unit, size) in units where bytes >= size {
      return "\(bytes / size).\(bytes % size * 10 / size) \(unit)"
    }
    return "\(bytes) bytes"
  }
}
