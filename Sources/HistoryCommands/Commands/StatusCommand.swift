import EventLoop
import HistoryModel
import HistoryStore
import SQLite
import StoreBoundary

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
  private(set) var report: StoreReport
  let readiness: PresentReadiness
  let isPolling: Bool

  init(_ store: TrackedStore) throws(HistoryError) {
    report = try StoreReport(store)
    readiness = PresentReadiness(of: store.path)
    report.ready = readiness.json
    isPolling = DirectoryWatch.isSilent(directory: StoreNeighbours(of: store.path).directory)
  }

  /// One JSON object, on one line.
  var json: String {
    var bytes: [UInt8] = []
    JSONText.append(.object(JSONObject(report.members)), to: &bytes)
    return String(decoding: bytes, as: UTF8.self) + "\n"
  }
}

extension StatusReport {
  /// The report for a person.
  func text(_ style: TerminalStyle, now: CalendarTime) -> String {
    var lines = [
      style.bold(PrintableText.line(report.path)),
      "store    \(report.state.storeIdentifier)  epoch \(report.state.epoch)",
      "head     \(report.state.head)",
      "oldest   \(report.state.oldest)",
      "history  \(report.size.rows) rows, about \(Self.readable(report.size.bytes))",
      "file     \(PrintableText.line(report.file.path))",
      "         device \(report.file.device), inode \(report.file.inode), \(sizes)",
      "ready    \(ready(style))",
    ]
    lines.append("tables   \(report.tables.isEmpty ? "none is tracked" : "")")
    for table in report.tables {
      let name = PrintableText.line(table.table)
      let times = table.keepsTimes ? "" : ", no times"
      let state =
        table.drift.isEmpty
        ? style.green("current") : style.yellow(table.drift.joined(separator: "; "))
      lines.append("  \(name)  \(table.capture.rawValue)\(times)  \(state)")
    }
    if !report.consumers.isEmpty { lines.append("consumers") }
    for consumer in report.consumers {
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

  private var sizes: String {
    let log = report.file.logSize.map { ", log \(Self.readable($0))" } ?? ""
    return "\(Self.readable(report.file.size))\(log), journal mode \(report.file.journalMode)"
  }

  private func ready(_ style: TerminalStyle) -> String {
    switch readiness {
    case .unmarked: "not marked"
    case .ready(let schema): style.green("schema \(schema)")
    case .unready(let error): style.yellow("no: \(PrintableText.line(error.message))")
    }
  }

  private static func readable(_ bytes: Int64) -> String {
    let units = [("GB", Int64(1 << 30)), ("MB", 1 << 20), ("KB", 1 << 10)]
    for (unit, size) in units where bytes >= size {
      return "\(bytes / size).\(bytes % size * 10 / size) \(unit)"
    }
    return "\(bytes) bytes"
  }
}
