import HistoryModel
import SQLite

/// Finds the tables on whose own rows a foreign key action can come back.
///
/// There the order in which triggers fire is not the order in which rows change, and capture takes
/// more care (facts 46 and 48).
struct ForeignKeyCycles {
  private let children: [String: [(child: String, key: ForeignKey)]]

  init(_ tables: [TableDescription]) {
    var children: [String: [(String, ForeignKey)]] = [:]
    for table in tables {
      for key in table.foreignKeys {
        children[ChangeFilter.folded(key.parent), default: []].append(
          (ChangeFilter.folded(table.name), key))
      }
    }
    self.children = children
  }

  /// Whether actions that begin at a table can reach it again.
  func returns(to table: String, by acts: (ForeignKey) -> Bool) -> Bool {
    let start = ChangeFilter.folded(table)
    var seen: Set<String> = []
    var open = [start]
    while let parent = open.popLast() {
      for (child, key) in children[parent] ?? [] where acts(key) {
        if child == start { return true }
        if seen.insert(child).inserted { open.append(child) }
      }
    }
    return false
  }

  /// The columns of a table whose change sets off ON UPDATE actions that can come back to it.
  func cascadingColumns(of table: TableDescription) -> Set<String> {
    guard returns(to: table.name, by: \.actsOnUpdate) else { return [] }
    var columns: Set<String> = []
    for (_, key) in children[ChangeFilter.folded(table.name)] ?? [] where key.actsOnUpdate {
      if key.parentColumns.isEmpty {
        columns.formUnion(table.keyColumns.map { ChangeFilter.folded($0.name) })
      } else {
        columns.formUnion(key.parentColumns.map(ChangeFilter.folded))
      }
    }
    return columns
  }
}
