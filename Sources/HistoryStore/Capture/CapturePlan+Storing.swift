import HistoryModel

extension CapturePlan {
  /// The statements that append a change, its values spread over as many rows as they need.
  func append(_ operation: HistoryModel.Operation, _ values: [String]) -> String {
    var statements = ""
    for start in stride(from: 0, to: values.count, by: Layout.slots) {
      let part = values[start..<min(start + Layout.slots, values.count)]
      let isFirst = start == 0
      let code = isFirst ? Layout.code(operation, shape: shape) : Layout.Mark.more
      let hasTime = isFirst && keepsTimes
      statements += "INSERT INTO _history_change(what,"
      statements += (hasTime ? "at," : "") + Layout.slotNames(part.count)
      statements += ")VALUES(\(code)," + (hasTime ? "\(time)," : "")
      statements += part.joined(separator: ",") + ");"
    }
    return statements
  }

  /// The statement that appends what rows of the stash hold.
  ///
  /// - Parameters:
  ///   - operation: What to append them as.
  ///   - count: How many of the stash's values belong to it.
  ///   - condition: Which rows, as `s`.
  /// - Returns: SQL for a trigger's body.
  func appendStashed(
    _ operation: HistoryModel.Operation, count: Int, where condition: String
  ) -> String {
    let code = Layout.code(operation, shape: shape)
    let target = "INSERT INTO _history_change(what,at,"
    if count <= Layout.slots {
      return target + Layout.slotNames(count) + ")SELECT \(code),\(time),"
        + Layout.slotNames(count, of: "s.")
        + " FROM _history_stash AS s WHERE \(condition);"
    }
    // The rows of one image must stand together: order by image, then by part.
    var parts: [String] = []
    for (part, start) in stride(from: 0, to: count, by: Layout.slots).enumerated() {
      let slots = (start..<start + Layout.slots).map { $0 < count ? "s.v\($0)" : "NULL" }
      let head = part == 0 ? "\(code) AS w,\(time) AS a" : "\(Layout.Mark.more),NULL"
      let names = part == 0 ? slots.enumerated().map { "\($1) AS x\($0)" } : slots
      parts.append(
        "SELECT s.rowid\(part == 0 ? " AS i" : ""),\(part)\(part == 0 ? " AS p" : ""),\(head),"
          + names.joined(separator: ",") + " FROM _history_stash AS s WHERE \(condition)")
    }
    return target + Layout.slotNames(Layout.slots) + ")SELECT w,a,"
      + (0..<Layout.slots).map { "x\($0)" }.joined(separator: ",") + " FROM ("
      + parts.joined(separator: " UNION ALL ") + ") ORDER BY i,p;"
  }

  /// The statement that removes rows from the stash.
  ///
  /// - Parameter condition: Which rows, as `_history_stash`: a trigger's DELETE takes no alias.
  /// - Returns: SQL for a trigger's body.
  func unstash(where condition: String) -> String {
    "DELETE FROM _history_stash WHERE \(condition);"
  }
}
