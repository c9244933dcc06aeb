import HistoryModel
import HistoryStore
import SQLite

/// Finds rows that a transaction left without the row that they refer to.
///
/// Only what the transaction touched is looked at: rows whose references it set, and rows that
/// refer to what it took away.
final class ForeignKeyCheck {
  /// A foreign key.
  private final class Key {
    let child: String
    let parent: String
    let childColumns: [String]
    let parentColumns: [String]
    private let connection: Connection
    private var checking: Statement?

    init(
      child: String, parent: String, childColumns: [String], parentColumns: [String],
      _ connection: Connection
    ) {
      self.child = child
      self.parent = parent
      self.childColumns = childColumns
      self.parentColumns = parentColumns
      self.connection = connection
    }

    /// Whether a row of the child refers by these values to a row that is not there.
    func isBroken(_ values: [StoredValue]) throws -> Bool {
      let statement: Statement
      if let checking {
        statement = checking
      } else {
        // The child's columns stand on the left, so that an index on them is used; those of the
        // parent decide how values are compared, as in SQLite itself.
        let refers = childColumns.map { "c.\(Identifier.quoted($0))=?" }
        let isParent = zip(parentColumns, childColumns).map {
          "p.\(Identifier.quoted($0))=c.\(Identifier.quoted($1))"
        }
        statement = try connection.prepare(
          "SELECT 1 FROM \(Identifier.quoted(child)) AS c WHERE "
            + refers.joined(separator: " AND ")
            + " AND NOT EXISTS(SELECT 1 FROM \(Identifier.quoted(parent)) AS p WHERE "
            + isParent.joined(separator: " AND ") + ") LIMIT 1")
        checking = statement
      }
      defer { statement.reset() }
      try statement.bind(values)
      return try statement.step()
    }
  }

  private struct Reference: Hashable {
    let key: Int
    let values: [StoredValue]
  }

  private var keys: [Key] = []
  /// The keys that rows of a table refer by, and those by which others refer to it.
  private var involved: [String: (referring: [Int], referred: [Int])] = [:]
  private var touched: Set<Reference> = []

  /// Reads the foreign keys of tables.
  init(_ tables: some Collection<ReplicaTable>, _ connection: Connection) throws {
    for table in tables {
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
          Key(
            child: table.name, parent: part.parent, childColumns: part.child,
            parentColumns: columns, connection))
        involved[ChangeFilter.folded(table.name), default: ([], [])].referring.append(number)
        involved[ChangeFilter.folded(part.parent), default: ([], [])].referred.append(number)
      }
    }
  }

  /// Whether anything waits to be looked at.
  var hasTouched: Bool { !touched.isEmpty }

  /// Notes what a change may have broken.
  ///
  /// - Complexity: O(1) for a table without foreign keys.
  func note(_ change: HistoryChange) {
    guard !keys.isEmpty, let involved = involved[ChangeFilter.folded(change.table)] else { return }
    if change.operation != .delete {
      let row = change.after
      for number in involved.referring { note(number, keys[number].childColumns, in: row, change) }
    }
    if change.operation != .insert {
      let row = change.before
      for number in involved.referred { note(number, keys[number].parentColumns, in: row, change) }
    }
  }

  private func note(_ key: Int, _ columns: [String], in row: StoredRow, _ change: HistoryChange) {
    // An update shows what it changed; where it changed none of the columns nothing can break.
    guard columns.contains(where: { row[$0] != nil }) else { return }
    let values = columns.map { row[$0] ?? change.key[$0] ?? .null }
    guard !values.contains(where: \.isNull) else { return }
    touched.insert(Reference(key: key, values: values))
  }

  /// Looks at everything that was noted, and forgets it.
  ///
  /// - Throws: `HistoryError` with code `tablesDiffer` when a row refers to one that is not there.
  /// - Complexity: O(*n* log *m*) for *n* references noted, where columns that refer are indexed.
  func check() throws {
    defer { touched.removeAll(keepingCapacity: true) }
    for reference in touched where try keys[reference.key].isBroken(reference.values) {
      let key = keys[reference.key]
      throw HistoryError.foreignKey(key.child, key.parent)
    }
  }

  /// Forgets what was noted.
  func forget() { touched.removeAll(keepingCapacity: true) }
}
