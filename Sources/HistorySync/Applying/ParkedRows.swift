import HistoryModel

/// Applies the changes of a transaction at once, so that only what they come to must be valid.
///
/// Rows whose unique values change are taken out first and put in again last; so values may be
/// swapped, and keys moved in a circle, by changes in any order. It is the slower way, taken only
/// when one change after the other did not work.
struct ParkedRows {
  private struct State {
    let original: [StoredValue]?
    var row: [StoredValue]?
    let rows: TableRows
  }

  private var order: [RowPlace] = []
  private var states: [RowPlace: State] = [:]

  /// Takes in the next change.
  ///
  /// - Returns: Whether the row was as the change presumes: there, or not there for an insert.
  mutating func take(_ change: HistoryChange, _ rows: TableRows) throws -> Bool {
    let place = change.place
    let row = try state(place, rows)
    switch change.operation {
    case .insert:
      let new = rows.row(nil, after: change)
      if let row { return row == new }
      states[place]?.row = new
    case .delete:
      states[place]?.row = nil
    case .update:
      guard let row else { return false }
      let new = rows.row(row, after: change)
      if let moved = change.movedPlace {
        states[place]?.row = nil
        if try state(moved, rows) != nil { return false }
        states[moved]?.row = new
      } else {
        states[place]?.row = new
      }
    }
    return true
  }

  /// Lets an inserted row take the place of one that is there.
  mutating func put(_ change: HistoryChange, _ rows: TableRows) throws {
    _ = try state(change.place, rows)
    states[change.place]?.row = rows.row(nil, after: change)
  }

  private mutating func state(_ place: RowPlace, _ rows: TableRows) throws -> [StoredValue]? {
    if let state = states[place] { return state.row }
    let original = try rows.row(place.key)
    states[place] = State(original: original, row: original, rows: rows)
    order.append(place)
    return original
  }

  /// Writes what the changes came to.
  ///
  /// - Parameter replaces: Whether other rows that stand in the way are displaced.
  /// - Throws: `SQLiteError` with a constraint's code when one does and is not.
  func write(replaces: Bool) throws {
    var parked: Set<RowPlace> = []
    for place in order {
      guard let state = states[place], let original = state.original else { continue }
      if let row = state.row, !state.rows.differInUnique(original, row) { continue }
      try state.rows.delete(place.key)
      parked.insert(place)
    }
    for place in order where !parked.contains(place) {
      guard let state = states[place], let original = state.original, let row = state.row else {
        continue
      }
      try state.rows.update(place.key, from: original, to: row, replaces: replaces)
    }
    for place in order {
      guard let state = states[place], let row = state.row else { continue }
      if state.original == nil || parked.contains(place) {
        try state.rows.insert(row, place.key, replaces: replaces)
      }
    }
  }
}
