import HistoryModel
import HistoryStore
import SQLite

/// The tables and columns that the owner of a store left, as a number to compare.
///
/// Only what a program that reads and writes rows depends on: names, declared types, keys, NOT NULL
/// and defaults of the application's ordinary tables. An index or a view that somebody adds changes
/// nothing.
struct ExpectedTables {
  /// The digest.
  let fingerprint: Int64

  /// Reads the schema, inside a transaction of the caller's.
  ///
  /// - Complexity: O(*n*) for *n* columns.
  init(_ connection: Connection) throws {
    let statement = try connection.prepare(
      """
      SELECT t.name, c.name, c.type, c."notnull", c.dflt_value, c.pk, c.hidden
      FROM pragma_table_list AS t JOIN pragma_table_xinfo(t.name) AS c
      WHERE t.schema = 'main' AND t.type IN ('table', 'virtual')
        AND lower(substr(t.name, 1, 9)) <> '_history_' AND lower(substr(t.name, 1, 7)) <> 'sqlite_'
      ORDER BY t.name, c.cid
      """)
    var fingerprint = Fingerprint()
    var cells = CellBuffer()
    while try statement.step() {
      cells.removeAll()
      statement.appendCells(0..<7, to: &cells)
      for cell in cells.cells { fingerprint.combine(cell, in: cells) }
    }
    self.fingerprint = Int64(bitPattern: fingerprint.value)
  }
}
