private import CSQLite

/// Something a statement would do, put before an authorizer when the statement is prepared.
///
/// The meaning of ``first`` and ``second`` depends on the code and is that of
/// <https://www.sqlite.org/c3ref/c_alter_table.html>.
public struct AuthorizerAction: Sendable {
  /// What kind of action it is.
  public let code: Code
  /// The first detail, mostly the name of a table.
  public let first: String?
  /// The second detail, such as the name of a column.
  public let second: String?
  /// The name of the database within the connection: `main`, `temp` or an attached one.
  public let database: String?
  /// The innermost trigger or view that causes it; nil if the statement itself does.
  public let trigger: String?
}

extension AuthorizerAction {
  /// A kind of action, named after the constants of C.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: Int32

    /// Makes a kind of its number.
    ///
    /// - Parameter rawValue: The number.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// CREATE INDEX: index, table.
    public static let createIndex = Code(rawValue: SQLITE_CREATE_INDEX)
    /// CREATE TABLE: table.
    public static let createTable = Code(rawValue: SQLITE_CREATE_TABLE)
    /// CREATE INDEX on a temporary table: index, table.
    public static let createTemporaryIndex = Code(rawValue: SQLITE_CREATE_TEMP_INDEX)
    /// CREATE TEMP TABLE: table.
    public static let createTemporaryTable = Code(rawValue: SQLITE_CREATE_TEMP_TABLE)
    /// CREATE TEMP TRIGGER: trigger, table.
    public static let createTemporaryTrigger = Code(rawValue: SQLITE_CREATE_TEMP_TRIGGER)
    /// CREATE TEMP VIEW: view.
    public static let createTemporaryView = Code(rawValue: SQLITE_CREATE_TEMP_VIEW)
    /// CREATE TRIGGER: trigger, table.
    public static let createTrigger = Code(rawValue: SQLITE_CREATE_TRIGGER)
    /// CREATE VIEW: view.
    public static let createView = Code(rawValue: SQLITE_CREATE_VIEW)
    /// DELETE: table.
    public static let delete = Code(rawValue: SQLITE_DELETE)
    /// DROP INDEX: index, table.
    public static let dropIndex = Code(rawValue: SQLITE_DROP_INDEX)
    /// DROP TABLE: table.
    public static let dropTable = Code(rawValue: SQLITE_DROP_TABLE)
    /// DROP INDEX of a temporary table: index, table.
    public static let dropTemporaryIndex = Code(rawValue: SQLITE_DROP_TEMP_INDEX)
    /// DROP TABLE of a temporary table: table.
    public static let dropTemporaryTable = Code(rawValue: SQLITE_DROP_TEMP_TABLE)
    /// DROP TRIGGER of a temporary one: trigger, table.
    public static let dropTemporaryTrigger = Code(rawValue: SQLITE_DROP_TEMP_TRIGGER)
    /// DROP VIEW of a temporary one: view.
    public static let dropTemporaryView = Code(rawValue: SQLITE_DROP_TEMP_VIEW)
    /// DROP TRIGGER: trigger, table.
    public static let dropTrigger = Code(rawValue: SQLITE_DROP_TRIGGER)
    /// DROP VIEW: view.
    public static let dropView = Code(rawValue: SQLITE_DROP_VIEW)
    /// INSERT: table.
    public static let insert = Code(rawValue: SQLITE_INSERT)
    /// PRAGMA: its name, its argument.
    public static let pragma = Code(rawValue: SQLITE_PRAGMA)
    /// Reading a column: table, column.
    public static let read = Code(rawValue: SQLITE_READ)
    /// SELECT.
    public static let select = Code(rawValue: SQLITE_SELECT)
    /// BEGIN, COMMIT or ROLLBACK, which is the first detail.
    public static let transaction = Code(rawValue: SQLITE_TRANSACTION)
    /// UPDATE: table, column.
    public static let update = Code(rawValue: SQLITE_UPDATE)
    /// ATTACH: file; also within VACUUM.
    public static let attach = Code(rawValue: SQLITE_ATTACH)
    /// DETACH: database.
    public static let detach = Code(rawValue: SQLITE_DETACH)
    /// ALTER TABLE: database, table.
    public static let alterTable = Code(rawValue: SQLITE_ALTER_TABLE)
    /// REINDEX: index.
    public static let reindex = Code(rawValue: SQLITE_REINDEX)
    /// ANALYZE: table.
    public static let analyze = Code(rawValue: SQLITE_ANALYZE)
    /// CREATE VIRTUAL TABLE: table, module.
    public static let createVirtualTable = Code(rawValue: SQLITE_CREATE_VTABLE)
    /// DROP TABLE of a virtual one: table, module.
    public static let dropVirtualTable = Code(rawValue: SQLITE_DROP_VTABLE)
    /// Calling a function, which is the second detail.
    public static let function = Code(rawValue: SQLITE_FUNCTION)
    /// BEGIN, RELEASE or ROLLBACK of a savepoint: which, its name.
    public static let savepoint = Code(rawValue: SQLITE_SAVEPOINT)
    /// A recursive common table expression.
    public static let recursive = Code(rawValue: SQLITE_RECURSIVE)
  }
}

/// What an authorizer says to an action.
///
/// The words are those of <https://www.sqlite.org/c3ref/set_authorizer.html>.
public enum AuthorizerDecision: Sendable {
  /// The action may be done.
  case allow
  /// The statement fails with `SQLITE_AUTH`.
  case deny
  /// The action is left out: a column reads as NULL, a row is not deleted.
  case ignore
}
