import HistoryModel

/// One transaction as `log` shows it to a person.
///
/// ```
/// widget  3 minutes ago  tasks ~1, notes +2  2026-11-30 06:22:31 UTC
///   from the lock screen
///   ~ tasks 7  done 0 → 1
///   + notes 3  body "bought"  task 7
///   + notes 4  body "and paid"  task 7
/// ```
struct LogEntry {
  /// How many changes are shown one by one; the rest is counted.
  private static let shownChanges = 8
  /// How many tables the summary names.
  private static let shownTables = 4
  /// Where values may begin at most, so that one long key does not push all of them away.
  private static let furthestColumn = 32

  private let layout: LogLayout
  private var changes: [LogChange] = []
  private var count = 0
  private var tables: [(name: String, counts: [HistoryModel.Operation: Int])] = []

  init(_ layout: LogLayout) { self.layout = layout }

  /// Adds a change of the transaction.
  mutating func add(_ change: RecordedChange, in values: CellBuffer) {
    count += 1
    let name = change.shape.table
    if let place = tables.firstIndex(where: { $0.name == name }) {
      tables[place].counts[change.operation, default: 0] += 1
    } else {
      tables.append((name, [change.operation: 1]))
    }
    if count <= Self.shownChanges { changes.append(LogChange(change, in: values, layout)) }
  }

  /// The whole entry, an empty line at its end.
  func text(of transaction: TransactionRecord) -> String {
    var lines = [head(of: transaction)]
    if let context = transaction.context, !context.isEmpty {
      let line = PrintableText.line(context).cut(to: layout.width - 2)
      lines.append("  " + layout.style.dim(line))
    }
    lines += changeLines
    if count > Self.shownChanges {
      let more = count - Self.shownChanges
      lines.append(layout.style.dim("  … and \(more) more change\(more == 1 ? "" : "s")"))
    }
    return lines.joined(separator: "\n") + "\n\n"
  }

  /// The changes, their values in one column.
  private var changeLines: [String] {
    let widest = changes.map(\.subject.width).filter { $0 + 4 <= Self.furthestColumn }.max() ?? 0
    // One that is wider than the others' column begins its values where it ends.
    let columns = changes.map { 2 + max(widest, $0.subject.width) + 2 }
    var cells = zip(changes, columns).map { $0.cells(room: layout.width - $1) }
    LogChange.align(&cells, of: changes, room: layout.width - (columns.max() ?? 0))
    return zip(changes, zip(cells, columns)).flatMap { change, place in
      change.lines(of: place.0, at: place.1, width: layout.width)
    }
  }

  /// Author, time and summary, as much as fits.
  private func head(of transaction: TransactionRecord) -> String {
    let style = layout.style
    var head =
      transaction.author.map { author in
        StyledText(PrintableText.line(author).cut(to: layout.width / 3)) {
          style.bold(style.author($0))
        }
      } ?? StyledText("untagged", style.dim)
    if let time = transaction.timestamp {
      head += "  "
      head += RelativeTime(time.milliseconds, now: layout.now.milliseconds).description
    }
    head += "  "
    head +=
      tables.isEmpty
      ? StyledText("changed nothing", style.dim) : tablesSummary(in: layout.width - head.width)
    if let time = transaction.timestamp {
      let whole = StyledText(time.seconds, style.dim)
      if head.width + 2 + whole.width <= layout.width {
        head += "  "
        head += whole
      }
    }
    return head.text
  }

  private func tablesSummary(in width: Int) -> StyledText {
    var summary = StyledText()
    for (place, table) in tables.enumerated() {
      let part = tableSummary(of: table.name, table.counts, in: width)
      let rest = tables.count - place
      guard place == 0 || place < Self.shownTables && summary.width + part.width + 20 <= width
      else {
        summary += " and \(rest) more table\(rest == 1 ? "" : "s")"
        break
      }
      if place > 0 { summary += ", " }
      summary += part
    }
    return summary
  }

  private func tableSummary(
    of table: String, _ counts: [HistoryModel.Operation: Int], in width: Int
  ) -> StyledText {
    var part = StyledText(PrintableText.line(table).cut(to: min(24, max(8, width - 10))))
    for operation in HistoryModel.Operation.allCases {
      guard let count = counts[operation] else { continue }
      part += " "
      part += StyledText("\(layout.sign(operation))\(count)") { layout.paint($0, operation) }
    }
    return part
  }

  /// A notice about capture, an empty line at its end.
  static func text(of notice: CaptureNotice, _ layout: LogLayout) -> String {
    TextColumns.wrap("! " + PrintableText.line(notice.sentence), width: layout.width)
      .map { layout.style.yellow($0) + "\n" }.joined() + "\n"
  }
}

extension CalendarTime {
  /// The moment to the second, as people write it.
  fileprivate var seconds: String {
    var text = String(description.prefix { $0 != "." })
    if let separator = text.firstIndex(of: "T") {
      text.replaceSubrange(separator...separator, with: " ")
    }
    return text + " UTC"
  }
}
