package import HistoryModel

/// What one must know of a table to write another store's changes into it.
package struct ReplicaTable: Sendable {
  /// A column of it.
  package struct Column: Sendable, Equatable {
    /// The name as the schema writes it.
    package let name: String
    /// Whether it is computed, so that nothing can be written to it.
    package let isGenerated: Bool
    /// Its place in the primary key, from 0.
    package let keyPlace: Int?
  }

  /// The name as the schema writes it.
  package let name: String
  /// The columns in order.
  package let columns: [Column]
  /// How much of it is captured.
  package let capture: Capture
  /// The name that reaches the rowid, where that stands in for a key; nil where there is a key.
  package let rowIDName: String?
  /// The folded names of the columns that a row must not share with another.
  package let uniqueColumns: Set<String>
  /// Whether expressions are among what must be unique, so that every column may matter.
  package let hasComputedIndex: Bool

  init(_ table: TableDescription, _ capture: Capture) {
    name = table.name
    self.capture = capture
    columns = table.columns.map {
      Column(name: $0.name, isGenerated: $0.generation != nil, keyPlace: $0.keyPlace)
    }
    if table.keyColumns.isEmpty, case .rowID(let name) = table.identity {
      rowIDName = name
    } else {
      rowIDName = nil
    }
    var unique = Set(table.keyColumns.map { ChangeFilter.folded($0.name) })
    for term in table.uniques.flatMap(\.terms) {
      if case .column(let name) = term.subject { unique.insert(ChangeFilter.folded(name)) }
    }
    uniqueColumns = unique
    hasComputedIndex = table.hasComputedIndex
  }
}
