import HistoryModel
import SQLite

/// A row of the history that says something of a table's capture rather than of its rows.
enum NoticeRow {
  /// Appends a notice to the history.
  static func append(_ notice: CaptureNotice, to connection: Connection) throws {
    var kind = "schema"
    var name = ""
    var details: [String] = []
    switch notice.event {
    case .gap(let reason):
      kind = "gap"
      name = reason.rawValue
    case .schema(let action):
      name = action.name
      switch action {
      case .columnsAdded(let names), .columnsRemoved(let names), .columnsRenamed(let names):
        details = names
      case .tableRenamed(let table): details = [table]
      case .tableDropped: break
      }
    }
    try connection.run(
      """
      INSERT INTO _history_change(what, at, v0, v1, v2, v3)
      VALUES(\(Layout.Mark.notice), julianday('now'), ?, ?, ?, ?)
      """, .text(kind), .text(notice.table), .text(name), .text(joined(details)))
  }

  /// Reads a notice from the values of its row; nil when a later version wrote it.
  static func notice(_ cells: CellBuffer, from start: Int) -> CaptureNotice? {
    let values = (0..<4).map { cells.value(at: start + $0).text ?? "" }
    let names = parts(of: values[3])
    if values[0] == "gap" {
      return CaptureNotice.GapReason(rawValue: values[2]).map {
        CaptureNotice(table: values[1], .gap($0))
      }
    }
    let action: CaptureNotice.SchemaAction
    switch values[2] {
    case "columns-added": action = .columnsAdded(names)
    case "columns-removed": action = .columnsRemoved(names)
    case "columns-renamed": action = .columnsRenamed(names)
    case "table-renamed": action = .tableRenamed(names.first ?? "")
    case "table-dropped": action = .tableDropped
    default: return nil
    }
    return CaptureNotice(table: values[1], .schema(action))
  }

  /// Names as one text, each after its length: a name may hold any character.
  private static func joined(_ names: [String]) -> String {
    names.map { "\($0.utf8.count):\($0)" }.joined()
  }

  private static func parts(of text: String) -> [String] {
    var names: [String] = []
    var rest = Array(text.utf8)[...]
    while let colon = rest.firstIndex(of: UInt8(ascii: ":")),
      let count = Int(String(decoding: rest[..<colon], as: UTF8.self)),
      (0..<rest.endIndex - colon).contains(count)
    {
      let end = colon + 1 + count
      names.append(String(decoding: rest[(colon + 1)..<end], as: UTF8.self))
      rest = rest[end...]
    }
    return names
  }
}
