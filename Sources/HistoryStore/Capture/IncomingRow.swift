import HistoryModel
import SQLite

/// NEW as it will be stored, which a BEFORE trigger does not see yet.
///
/// REPLACE puts a NOT NULL column's default in the place of NULL; an automatic rowid is still -1;
/// generated columns are computed from both (facts 10 and 47).
struct IncomingRow {
  private let table: TableDescription
  private let alias: String

  init(_ table: TableDescription, alias: String) {
    self.table = table
    self.alias = alias
  }

  /// A column of the incoming row that is not generated.
  static func value(of column: TableDescription.Column?, _ sql: String) -> String {
    guard let column, column.isNotNull, let value = column.defaultSQL else { return "NEW.\(sql)" }
    return "ifnull(NEW.\(sql),\(SQLText.expression(ofDefault: value)))"
  }

  /// An expression over the incoming row, NULL unless a condition over it holds.
  func value(of expression: String, where condition: String?) -> String {
    "(SELECT \(expression) FROM \(source(for: "\(expression) \(condition ?? "")")) AS \(alias)"
      + (condition.map { " WHERE \($0)" } ?? "") + ")"
  }

  /// The incoming row as a subquery: the columns that are given, and around them in layers the
  /// generated ones, each as soon as the columns that it names are there.
  ///
  /// It has no column that the expression does not need, so that every other can be dropped.
  private func source(for expression: String) -> String {
    let needed = columns(namedIn: expression)
    let given = needed.filter { $0.generation == nil }
    guard !given.isEmpty else { return "(SELECT 1)" }
    var known = Set(given.map { ChangeFilter.folded($0.name) })
    // The first part gives the columns their affinities and collations, which expressions depend
    // on, and no row; OFFSET keeps SQLite from taking the two apart again.
    var query =
      "SELECT \(given.map(Self.named).joined(separator: ","))"
      + " FROM \(Identifier.quoted(table.name)) WHERE 0 UNION ALL SELECT "
      + given.map { incoming($0) }.joined(separator: ",") + " LIMIT 1 OFFSET 0"
    var waiting = needed.filter { $0.generation != nil }
    while !waiting.isEmpty {
      let ready = waiting.filter { column in
        let names = SQLTokens(column.generation ?? "").map {
          ChangeFilter.folded(GeneratedColumns.unquoted($0))
        }
        return !waiting.contains { other in
          other.name != column.name && names.contains(ChangeFilter.folded(other.name))
        }
      }
      // SQLite refuses generated columns that go round in a circle.
      guard !ready.isEmpty else { break }
      let computed = ready.map { "(\($0.generation ?? "NULL")) AS \(Identifier.quoted($0.name))" }
      query = "SELECT *,\(computed.joined(separator: ",")) FROM (\(query)) AS \(alias)"
      known.formUnion(ready.map { ChangeFilter.folded($0.name) })
      waiting.removeAll { known.contains(ChangeFilter.folded($0.name)) }
    }
    return "(\(query))"
  }

  /// A column under its own name said twice: RENAME COLUMN then changes the one and not the other,
  /// by which the expression around it goes.
  private static func named(_ column: TableDescription.Column) -> String {
    let sql = Identifier.quoted(column.name)
    return "\(sql) AS \(sql)"
  }

  /// The columns that an expression names, and those that they are computed from.
  private func columns(namedIn expression: String) -> [TableDescription.Column] {
    var needed: Set<String> = []
    var open = [expression]
    while let next = open.popLast() {
      let names = Set(SQLTokens(next).map { ChangeFilter.folded(GeneratedColumns.unquoted($0)) })
      for column in table.columns
      where names.contains(ChangeFilter.folded(column.name))
        && needed.insert(column.name).inserted
      {
        if let generation = column.generation { open.append(generation) }
      }
    }
    return table.columns.filter { needed.contains($0.name) }
  }

  private func incoming(_ column: TableDescription.Column) -> String {
    let sql = Identifier.quoted(column.name)
    guard case .rowID(let name) = table.identity, name == column.name else {
      return Self.value(of: column, sql)
    }
    // What SQLite will choose: one more than the largest, or than the largest there ever was.
    let table = Identifier.quoted(self.table.name)
    var largest = "(SELECT max(\(sql)) FROM \(table))"
    if self.table.isAutoIncrement {
      let name = Identifier.literal(self.table.name)
      largest =
        "max(ifnull(\(largest),0),ifnull((SELECT seq FROM sqlite_sequence WHERE name=\(name)),0))"
    }
    return "CASE NEW.\(sql) WHEN -1 THEN ifnull(\(largest),0)+1 ELSE NEW.\(sql) END"
  }
}
