import HistoryModel

extension ReloadCommand {
  /// How many bytes a list of names may have at most.
  ///
  /// Linux refuses to start a program if one variable has more than 128 KiB, or all of them and
  /// the arguments more than a quarter of the stack's limit, usually 2 MiB.
  static let listLimit = 32 << 10

  /// The variables that speak of one reload: none is handed down from a command that we are run
  /// by to the one that we run.
  ///
  /// `HISTORYWATCH_AUTHOR` is not among them: what a command of a command writes is written on
  /// behalf of both, unless somebody says otherwise.
  static let variables: Set<String> = Set(
    [
      "DATABASE", "KIND", "SINCE", "UNTIL", "TRANSACTIONS", "CHANGES", "TABLES", "AUTHORS",
      "REASON", "OMITTED", "SNAPSHOT",
    ].map { "HISTORYWATCH_" + $0 })

  /// What a command is told in its environment.
  ///
  /// Lists have a name in each line, and no end of line after the last; an empty line among the
  /// authors stands for untagged transactions. Names that would make a list too long, or cannot
  /// stand in one because they contain an end of line or a NUL, are left out; HISTORYWATCH_OMITTED
  /// is there then, and names the lists that may lack something: `tables`, `authors`. All of it is
  /// in the history between `_SINCE` and `_UNTIL`.
  static func environment(
    of reload: Reload, in database: String, author: String?
  ) -> [String: String] {
    let range = reload.range
    var tables = list(of: range.tables)
    if range.tables.count == HistorySummary.tableLimit { tables.isWhole = false }
    var authors = list(of: range.authors.map { $0 ?? "" })
    if range.authors.count == HistorySummary.authorLimit { authors.isWhole = false }
    var values = [
      "DATABASE": database, "REASON": reload.reason.description,
      "SINCE": "\(range.since)", "UNTIL": "\(range.until)",
      "TRANSACTIONS": "\(range.transactions)", "CHANGES": "\(range.changes)",
      "TABLES": tables.text, "AUTHORS": authors.text,
    ]
    if !reload.kind.isEmpty { values["KIND"] = reload.kind }
    if let author { values["AUTHOR"] = author }
    let omitted = (tables.isWhole ? [] : ["tables"]) + (authors.isWhole ? [] : ["authors"])
    if !omitted.isEmpty { values["OMITTED"] = omitted.joined(separator: "\n") }
    return Dictionary(
      uniqueKeysWithValues: values.map { ("HISTORYWATCH_" + $0.key, $0.value) })
  }

  private static func list(of names: [String]) -> (text: String, isWhole: Bool) {
    var kept: [String] = []
    var length = 0
    for name in names {
      let isLine = !name.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "\n") }
      guard isLine, length + name.utf8.count < listLimit else { continue }
      length += name.utf8.count + 1
      kept.append(name)
    }
    return (kept.joined(separator: "\n"), kept.count == names.count)
  }
}
