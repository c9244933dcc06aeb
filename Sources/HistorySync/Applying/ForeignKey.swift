import HistoryModel
import HistoryStore
import SQLite

/// A foreign key, and the questions by which rows that break it are found.
///
/// In all of them the parent's columns stand on the left where the two are compared, and so decide
/// how, as in SQLite itself.
final class ForeignKey {
  /// The name of the table that refers.
  var child: String { table.name }
  let parent: String
  let childColumns: [String]
  let parentColumns: [String]
  private let table: ReplicaTable
  private let connection: Connection
  private var statements: [Question: Statement] = [:]

  private enum Question { case row, values, all, parent }

  init(
    child: ReplicaTable, parent: String, childColumns: [String], parentColumns: [String],
    _ connection: Connection
  ) {
    table = child
    self.parent = parent
    self.childColumns = childColumns
    self.parentColumns = parentColumns
    self.connection = connection
  }

  /// Whether the child's row with a key refers to one that is not there.
  func isBroken(byRow key: [StoredValue]) throws -> Bool {
    try answer(.row, key) {
      broken(table.keyNames.map { "c.\(table.sqlOfKey($0))=?" } + refers)
    } != nil
  }

  /// Whether a row of the child refers by these values to one that is not there.
  func isBroken(byValues values: [StoredValue]) throws -> Bool {
    try answer(.values, values) {
      // The child's columns stand on the left here, so that an index on them is used, where they compare
      // as the parent's do.
      broken(
        zip(childColumns, parentColumns).map { child, parent in
          let collation = connection.collation(of: parent, in: self.parent) ?? "BINARY"
          return "c.\(Identifier.quoted(child))=? COLLATE \(Identifier.quoted(collation))"
        })
    } != nil
  }

  /// Whether any row of the child refers to one that is not there.
  func isBroken() throws -> Bool { try answer(.all, []) { broken(refers) } != nil }

  /// What others refer to the parent's row with a key by; nil when there is no such row.
  func referred(at key: [StoredValue], in table: ReplicaTable) throws -> [StoredValue]? {
    try answer(.parent, key) {
      let columns = parentColumns.map { Identifier.quoted($0) }.joined(separator: ",")
      let condition = table.keyNames.map { "\(table.sqlOfKey($0))=?" }.joined(separator: " AND ")
      return "SELECT \(columns) FROM \(Identifier.quoted(parent)) WHERE \(condition)"
    }
  }

  /// The conditions on a row that refers to anything: NULL refers to nothing.
  private var refers: [String] { childColumns.map { "c.\(Identifier.quoted($0)) IS NOT NULL" } }

  private func broken(_ conditions: [String]) -> String {
    let isParent = zip(parentColumns, childColumns).map {
      "p.\(Identifier.quoted($0))=c.\(Identifier.quoted($1))"
    }
    return "SELECT 1 FROM \(Identifier.quoted(child)) AS c WHERE "
      + conditions.joined(separator: " AND ")
      + " AND NOT EXISTS(SELECT 1 FROM \(Identifier.quoted(parent)) AS p WHERE "
      + isParent.joined(separator: " AND ") + ") LIMIT 1"
  }

  private func answer(
    _ question: Question, _ values: [StoredValue], _ sql: () -> String
  ) throws -> [StoredValue]? {
    let statement: Statement
    if let known = statements[question] {
      statement = known
    } else {
      statement = try connection.prepare(sql())
      statements[question] = statement
    }
    defer { statement.reset() }
    try statement.bind(values)
    return try statement.step() ? statement.row : nil
  }
}
