import HistoryModel
import HistoryStore
import SQLite

/// Finds rows that a transaction left without the row that they refer to.
///
/// Only what the transaction touched is looked at: rows whose references it set, and rows that
/// refer to what it took away.
final class ForeignKeyCheck {
  /// What is to be looked at.
  private enum Suspect: Hashable {
    /// The row of the referring table that has a key.
    case row(Int, [StoredValue])
    /// The rows that refer by these values.
    case values(Int, [StoredValue])
    /// Every row that refers, since by what is not known.
    case all(Int)
  }

  private var keys: [ForeignKey] = []
  private let tables: [String: ReplicaTable]
  /// The keys that rows of a table refer by, and those by which others refer to it.
  private var involved: [String: (referring: [Int], referred: [Int])] = [:]
  private var touched: Set<Suspect> = []

  /// Reads the foreign keys of tables.
  ///
  /// - Parameters:
  ///   - tables: The tables, by folded name.
  ///   - connection: A connection to their store.
  /// - Throws: What SQLite reports.
  init(_ tables: [String: ReplicaTable], _ connection: Connection) throws {
    self.tables = tables
    for table in tables.values {
      var parts: [Int64: (parent: String, child: [String], columns: [String])] = [:]
      for row in try connection.rows(
        "SELECT id, \"table\", \"from\", \"to\" FROM pragma_foreign_key_list(?) ORDER BY id, seq",
        .text(table.name))
      {
        let identifier = row[0].integer ?? 0
        var part = parts[identifier] ?? (row[1].text ?? "", [], [])
        part.child.append(row[2].text ?? "")
        if let column = row[3].text { part.columns.append(column) }
        parts[identifier] = part
      }
      for part in parts.values {
        var columns = part.columns
        if columns.isEmpty {
          columns = try connection.rows(
            "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", .text(part.parent)
          ).compactMap { $0[0].text }
        }
        // What refers to a table that is not there, or to nothing, SQLite itself cannot check.
        guard columns.count == part.child.count else { continue }
        let exists = try connection.row(
          "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ? COLLATE NOCASE",
          .text(part.parent))
        guard exists != nil else { continue }
        let number = keys.count
        keys.append(
          ForeignKey(
            child: table, parent: part.parent, childColumns: part.child,
            parentColumns: columns, connection))
        involved[ChangeFilter.folded(table.name), default: ([], [])].referring.append(number)
        involved[ChangeFilter.folded(part.parent), default: ([], [])].referred.append(number)
      }
    }
  }

  /// Whether anything waits to be looked at.
  var hasTouched: Bool { !touched.isEmpty }

  /// The folded names of the tables whose rows refer to one of these.
  ///
  /// - Parameter parents: Folded names.
  /// - Returns: The names.
  func children(of parents: Set<String>) -> Set<String> {
    Set(
      keys.filter { parents.contains(ChangeFilter.folded($0.parent)) }
        .map { ChangeFilter.folded($0.child) })
  }

  /// Notes what a change may break, before it is made.
  ///
  /// - Parameters:
  ///   - change: The change.
  ///   - isMade: Whether it was made already, so that the row cannot be asked any more.
  /// - Throws: What SQLite reports.
  /// - Complexity: O(1) for a table without foreign keys, else O(log *n*) for *n* rows.
  func note(_ change: HistoryChange, isMade: Bool = false) throws {
    guard !keys.isEmpty, let involved = involved[ChangeFilter.folded(change.table)] else { return }
    let key = change.key.values
    let moved = change.movedPlace
    if change.operation != .delete, !involved.referring.isEmpty {
      // An update shows what it changed; a row that moves takes along what was noted of it before.
      let after = change.after
      for number in involved.referring
      where moved != nil || keys[number].childColumns.contains(where: { after[$0] != nil }) {
        touched.insert(.row(number, moved?.key ?? key))
      }
    }
    if change.operation != .insert, !involved.referred.isEmpty {
      let before = change.before
      for number in involved.referred {
        let columns = keys[number].parentColumns
        let known = columns.compactMap { before[$0] }
        if known.count == columns.count {
          note(number, known)
        } else if change.operation == .delete || moved != nil || !known.isEmpty {
          // What the change does not show the row still has. One that is not there yet is new in this
          // transaction: nobody referred to it before.
          if isMade {
            touched.insert(.all(number))
          } else {
            try note(number, at: key, change.table)
          }
        }
      }
    }
  }

  /// Notes what may break when a row is made another, or taken away, before that is done.
  func note(rowAt place: RowPlace) throws {
    guard !keys.isEmpty, let involved = involved[place.table] else { return }
    for number in involved.referring { touched.insert(.row(number, place.key)) }
    for number in involved.referred { try note(number, at: place.key, place.table) }
  }

  private func note(_ number: Int, at key: [StoredValue], _ table: String) throws {
    guard let parent = tables[ChangeFilter.folded(table)] else { return }
    if let values = try keys[number].referred(at: key, in: parent) { note(number, values) }
  }

  private func note(_ number: Int, _ values: [StoredValue]) {
    if !values.contains(where: \.isNull) { touched.insert(.values(number, values)) }
  }

  /// Looks at everything that was noted, and forgets it.
  ///
  /// - Throws: `HistoryError` with code `tablesDiffer` when a row refers to one that is not there.
  /// - Complexity: O(*n* log *m*) for *n* notes, where columns that refer are indexed; without an
  ///   index each row that others may have referred to costs a look at all that refer.
  func check() throws {
    defer { touched.removeAll(keepingCapacity: true) }
    for suspect in touched {
      let number: Int
      let isBroken: Bool
      switch suspect {
      case .row(let key, let row): (number, isBroken) = (key, try keys[key].isBroken(byRow: row))
      case .values(let key, let values):
        (number, isBroken) = (key, try keys[key].isBroken(byValues: values))
      case .all(let key): (number, isBroken) = (key, try keys[key].isBroken())
      }
      if isBroken { throw HistoryError.foreignKey(keys[number].child, keys[number].parent) }
    }
  }

  /// Forgets what was noted.
  func forget() { touched.removeAll(keepingCapacity: true) }
}
