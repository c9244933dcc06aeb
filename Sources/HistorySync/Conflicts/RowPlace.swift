import HistoryModel

/// Which row of which table.
struct RowPlace: Hashable {
  /// The folded name of the table.
  let table: String
  /// The values of its key, in key order.
  let key: [StoredValue]

  init(table: String, key: [StoredValue]) {
    self.table = table
    self.key = key
  }

  /// The place as text, to be kept.
  var text: String { WireRow.text([.text(table)] + key) }

  /// Reads what ``text`` gave; nil for something else.
  init?(_ text: String) {
    guard let values = WireRow.values(text), let table = values.first?.text else { return nil }
    self.init(table: table, key: Array(values.dropFirst()))
  }
}

extension HistoryChange {
  /// The row before the change, or the inserted one.
  var place: RowPlace {
    RowPlace(table: ChangeFilter.folded(table), key: key.values)
  }

  /// The row after the change, where an update moved it to another key; nil where it did not.
  var movedPlace: RowPlace? {
    guard operation == .update, let after = recorded.after, let before = recorded.before else {
      return nil
    }
    let places = recorded.shape.keyPlaces
    guard places.contains(where: { !cells.buffer.isIdentical(before + $0, after + $0) }) else {
      return nil
    }
    return RowPlace(
      table: ChangeFilter.folded(table), key: places.map { cells.buffer.value(at: after + $0) })
  }
}
