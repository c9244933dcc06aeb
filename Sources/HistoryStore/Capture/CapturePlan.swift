import HistoryModel
import SQLite

/// How one table is captured: which values are stored where, and how rows are told apart.
///
/// The triggers are made of it by its extensions, one for each concern.
struct CapturePlan {
  /// A stored value.
  struct Stored {
    /// The name in lines.
    var name: String
    /// The quoted name in SQL.
    var sql: String
    var affinity: Affinity
    var keyPlace: Int?
    var isInImages: Bool
    /// Whether an update stores it also when it did not change: keys and what cascades.
    var isAlwaysStored: Bool
  }

  let table: TableDescription
  /// The number of the table's shape.
  let shape: Int64
  let capture: Capture
  /// Whether each change keeps its statement's time.
  let keepsTimes: Bool
  /// The stored values in storage order.
  let stored: [Stored]
  /// The names of columns that are not stored.
  let otherColumns: [String]
  /// The table's quoted name.
  let quotedTable: String
  let mentionsCollation: Bool
  /// What a row of the table is called in triggers.
  ///
  /// An alias, since a table called `new` would hide the row that a trigger sees (fact 49); but
  /// the table's own name where an index may say it, which SQLite allows in its WHERE.
  let alias: String

  init(_ table: TableDescription, shape: Int64, capture: Capture, keepsTimes: Bool) {
    self.table = table
    self.shape = shape
    self.capture = capture
    self.keepsTimes = keepsTimes
    quotedTable = Identifier.quoted(table.name)
    mentionsCollation = table.mentionsCollation
    let isReserved = ["new", "old"].contains(ChangeFilter.folded(table.name))
    alias = table.hasComputedIndex && !isReserved ? Identifier.quoted(table.name) : "t"
    let key = table.keyColumns
    var stored: [Stored] = []
    if key.isEmpty, case .rowID(let name) = table.identity {
      stored.append(
        Stored(
          name: "rowid", sql: name, affinity: .integer, keyPlace: 0, isInImages: false,
          isAlwaysStored: true))
    }
    let columns = capture == .keys ? key : table.columns
    stored += columns.map { column in
      let cascades = table.cascadingColumns.contains(ChangeFilter.folded(column.name))
      return Stored(
        name: column.name, sql: Identifier.quoted(column.name), affinity: column.affinity,
        keyPlace: column.keyPlace, isInImages: true,
        isAlwaysStored: column.keyPlace != nil || cascades || capture != .changes)
    }
    self.stored = stored
    otherColumns =
      capture == .keys ? table.columns.filter { $0.keyPlace == nil }.map(\.name) : []
  }

  /// The widest row that the stash must hold for this table.
  var stashWidth: Int { table.cascadingColumns.isEmpty ? stored.count : 2 * stored.count }

  var time: String { keepsTimes ? "julianday('now')" : "NULL" }

  /// The values of a row of the table, as `NEW."a"`.
  func values(of alias: String) -> [String] { stored.map { "\(alias).\($0.sql)" } }

  /// The name of one of the table's triggers.
  func triggerName(_ suffix: String) -> String { "_history_\(shape)_\(suffix)" }
}

extension CapturePlan {
  /// The condition that a row of the table, or one a trigger sees, is another row.
  ///
  /// The first alias must be of the table: its collations and affinities decide.
  func isSame(_ alias: String, _ other: String) -> String {
    switch table.identity {
    case .rowID(let name):
      let sql = Identifier.quoted(name)
      return "\(alias).\(sql)=\(other).\(sql)"
    case .key:
      let comparison = table.isWithoutRowID ? "=" : " IS "
      return SQLText.all(
        table.keyColumns.map {
          let sql = Identifier.quoted($0.name)
          return "\(alias).\(sql)\(comparison)\(other).\(sql)"
        })
    }
  }

  /// The condition that a row is the one that a row of the stash holds.
  ///
  /// - Parameters:
  ///   - alias: A row of the table, or one a trigger sees.
  ///   - stash: The alias of the stash.
  ///   - isOld: Whether to compare with the stash's older row, which key changes have.
  /// - Returns: An SQL expression.
  func isStashed(_ alias: String, in stash: String, isOld: Bool = false) -> String {
    switch table.identity {
    case .rowID(let name):
      return "\(alias).\(Identifier.quoted(name))=\(stash).\(isOld ? "old" : "row")"
    case .key:
      let comparison = table.isWithoutRowID ? "=" : " IS "
      return SQLText.all(
        table.keyColumns.map { column in
          let place = stored.firstIndex { $0.name == column.name } ?? 0
          let slot = isOld ? stored.count + place : place
          return "\(alias).\(Identifier.quoted(column.name))\(comparison)\(stash).v\(slot)"
        })
    }
  }

  /// What the stash keeps of a row's identity besides its values.
  func rowID(of alias: String) -> String {
    switch table.identity {
    case .rowID(let name): "\(alias).\(Identifier.quoted(name))"
    case .key: "NULL"
    }
  }
}

extension CapturePlan {
  /// The condition that an update changed a column, for certain or perhaps.
  ///
  /// IS NOT alone compares by the column's collation and by number. Where two values of different
  /// storage classes can be equal it asks further; where 0.0 may have become -0.0, which no
  /// expression can tell, it says yes and leaves the decision to the reader (facts 11, 51, 53).
  /// It is never NULL, so that it can be negated.
  func changed(_ column: Stored) -> String {
    let old = "OLD.\(column.sql)"
    let new = "NEW.\(column.sql)"
    let collate = mentionsCollation ? " COLLATE BINARY" : ""
    let differs = "\(old)\(collate) IS NOT \(new)"
    switch column.affinity {
    case .text, .real:
      return differs
    case .integer, .numeric:
      if !column.isInImages { return differs }
      if case .rowID(let name) = table.identity, name == column.name { return differs }
      return "\(differs) OR \(new) IS -9223372036854775808"
    case .none:
      let classes =
        keepsTimes
        ? "typeof(\(old)) IS NOT typeof(\(new))"
        : "CAST(\(old) AS TEXT) IS NOT CAST(\(new) AS TEXT)"
      return "\(differs) OR \(classes) OR \(new) IS 0"
    }
  }

  /// The condition that an update changed anything.
  var anythingChanged: String { SQLText.any(stored.map { changed($0) }) }

  /// The condition that an update changed a column that sets off actions which come back here.
  var cascades: String? {
    let columns = stored.filter {
      table.cascadingColumns.contains(ChangeFilter.folded($0.name))
    }
    return columns.isEmpty ? nil : SQLText.any(columns.map { changed($0) })
  }

  /// The values that an update stores: the row after it, then the row before it.
  ///
  /// Of `changes` an unchanged column is NULL in both, so that a large text beside a counter costs
  /// nothing; NULL in both is what no change looks like.
  var updateValues: [String] {
    let rowID = stored.first { !$0.isInImages }?.sql
    let renumbered = rowID.map { "OLD.\($0) IS NOT NEW.\($0) OR " }
    func values(_ alias: String) -> [String] {
      stored.map { column in
        let value = "\(alias).\(column.sql)"
        if column.isAlwaysStored { return value }
        return "CASE WHEN \(renumbered ?? "")\(changed(column)) THEN \(value) END"
      }
    }
    return values("NEW") + values("OLD")
  }
}
