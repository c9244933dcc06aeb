import HistoryModel
import SQLite

/// What a query reads: tables and columns by their names as SQLite reports them.
struct QueryReads {
  /// One name of a table in a query, with what is read of it.
  struct Table {
    /// The name as it was reported.
    var name: String
    /// The database it was said to be in; nil where nobody said.
    var database: String?
    /// The columns, as they were reported; nil where they are not known.
    var columns: Set<String>?
  }

  /// The tables, views and table-valued functions, by folded name.
  private(set) var tables: [String: Table] = [:]

  /// Finds out what a statement reads, inside a transaction of the caller's.
  ///
  /// SQLite asks the authorizer about each column that it resolves, through views too. It does not
  /// ask about the columns by which USING and NATURAL join, nor about a table of which nothing else
  /// is read (fact 59), so the tables whose pages the program opens are added. What a statement
  /// opens shows in EXPLAIN, whose form is not promised; more may be missing if it changes, but
  /// nothing of what the authorizer reports.
  ///
  /// - Parameters:
  ///   - sql: A statement that only reads, and that has been prepared once: the first use of a
  ///     table-valued function reads the schema.
  ///   - connection: The connection.
  /// - Throws: ``SQLiteError`` when it cannot be prepared.
  init(_ sql: String, on connection: Connection) throws {
    let log = Log()
    connection.setAuthorizer {
      log.actions.append($0)
      return .allow
    }
    defer { connection.setAuthorizer(nil) }
    _ = try connection.prepare(sql)
    connection.setAuthorizer(nil)
    for action in log.actions where action.code == .read {
      guard let name = action.first else { continue }
      add(name, in: action.database, column: action.second)
    }
    try addOpened(by: sql, on: connection)
  }

  /// What the authorizer was asked, at an address that its rule can keep.
  private final class Log {
    var actions: [AuthorizerAction] = []
  }

  private mutating func add(_ name: String, in database: String?, column: String?) {
    var table =
      tables[ChangeFilter.folded(name)] ?? Table(name: name, database: nil, columns: [])
    // Of a table without a column only the name that the query wrote is told.
    if let database { table = Table(name: name, database: database, columns: table.columns) }
    if let column, !column.isEmpty { table.columns?.insert(column) }
    tables[ChangeFilter.folded(name)] = table
  }

  private mutating func addOpened(by sql: String, on connection: Connection) throws {
    let program = try connection.prepare("EXPLAIN " + sql)
    var roots: Set<Int64> = []
    while try program.step() {
      // Columns: address, operation, and its operands: a cursor, a page, a database.
      if program.text(at: 1) == "OpenRead", program.int64(at: 4) == 0 {
        roots.insert(program.int64(at: 3))
      }
    }
    for root in roots {
      let row = try connection.row(
        "SELECT tbl_name FROM sqlite_schema WHERE rootpage = ?", .integer(root))
      guard let name = row?[0].text, tables[ChangeFilter.folded(name)] == nil else { continue }
      tables[ChangeFilter.folded(name)] = Table(name: name, database: "main", columns: nil)
    }
  }
}
