/// A table of a store, with the statement that makes it.
///
/// A snapshot begins with those of all its tables, so that who takes it in can make what is missing.
public struct TableDefinition: Hashable, Sendable {
  /// The table's name.
  public let table: String
  /// Its CREATE TABLE statement, as SQLite keeps it: see <https://www.sqlite.org/schematab.html>.
  public let sql: String

  /// Makes a definition.
  ///
  /// - Parameters:
  ///   - table: The table's name.
  ///   - sql: Its CREATE TABLE statement.
  public init(table: String, sql: String) {
    self.table = table
    self.sql = sql
  }
}
