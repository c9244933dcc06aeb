import HistoryModel

/// What the source has in a row that differs here, as far as it is known.
struct RowBase: Hashable {
  /// Whether it has the row at all.
  var exists: Bool
  /// The values of columns that may differ here, by folded name.
  var columns: [String: StoredValue] = [:]
  /// Whether ``columns`` are all of the row.
  var isComplete = false

  /// Takes in what a row was like before a later change was made here: what is known already
  /// holds, the rest is as it was then.
  mutating func fill(from later: RowBase) {
    guard exists, !isComplete, later.exists else { return }
    columns.merge(later.columns) { known, _ in known }
    isComplete = later.isComplete
  }

  /// Follows a change that the source made and that was not applied here.
  mutating func follow(_ change: HistoryChange) {
    switch change.operation {
    case .delete: self = RowBase(exists: false)
    case .insert:
      self = RowBase(exists: true, isComplete: true)
      fallthrough
    case .update:
      let after = change.after
      for (place, name) in after.columns.enumerated() {
        columns[ChangeFilter.folded(name)] = after[place]
      }
    }
  }

  /// The base as text, to be kept.
  var text: String {
    var values: [StoredValue] = [.integer(exists ? 1 : 0), .integer(isComplete ? 1 : 0)]
    for (name, value) in columns.sorted(by: { $0.key < $1.key }) { values += [.text(name), value] }
    return WireRow.text(values)
  }

  init(exists: Bool, isComplete: Bool = false) {
    self.exists = exists
    self.isComplete = isComplete
  }

  /// A row that is there, as far as it is known.
  init(_ row: StoredRow, isComplete: Bool) {
    self.init(exists: true, isComplete: isComplete)
    for (place, name) in row.columns.enumerated() {
      columns[ChangeFilter.folded(name)] = row[place]
    }
  }

  /// Reads what ``text`` gave; nil for something else.
  init?(_ text: String) {
    guard let values = WireRow.values(text), values.count >= 2, values.count.isMultiple(of: 2)
    else { return nil }
    self.init(exists: values[0] == .integer(1), isComplete: values[1] == .integer(1))
    for place in stride(from: 2, to: values.count, by: 2) {
      guard let name = values[place].text else { return nil }
      columns[name] = values[place + 1]
    }
  }
}
