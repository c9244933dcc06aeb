import HistoryModel
import SQLite

/// The names and numbers of the file format, version 1.
///
/// Everything that belongs to the program is called `history_author` or starts with `_history_`.
enum Layout {
  /// The version that this code reads and writes.
  static let version: Int64 = 1
  /// How many values one row of `_history_change` holds; wider images go on in further rows.
  ///
  /// Every column costs every row a byte and a little time. Sixteen hold an update of eight
  /// columns; with eight a common update would take two rows, with forty a narrow insert takes
  /// half as long again (docs/performance.md).
  static let slots = 16

  /// What a row of `_history_change` says, in its column `what`, when it is not a table's change.
  ///
  /// A change has eight times the number of its table's shape plus its operation there.
  enum Mark {
    /// A library writer's tag: author, context, first sequence covered, nonce; and of what was
    /// brought here from another store, where author may be NULL: the store that made it, the
    /// sequence at which it ended there, the store that it was read from where that is another
    /// one, and the time that this one gave, in milliseconds.
    static let tag: Int64 = 1
    /// A tag opened by plain SQL: author, context.
    static let opened: Int64 = 2
    /// A tag closed by plain SQL: nonce.
    static let closed: Int64 = 3
    /// More values of the row before.
    static let more: Int64 = 4
    /// A change of a table's shape or a gap: kind, table, action or reason, details.
    static let notice: Int64 = 5
    /// The smallest `what` of a table's change.
    static let firstChange: Int64 = 8
  }

  /// The `what` of a change.
  static func code(_ operation: HistoryModel.Operation, shape: Int64) -> Int64 {
    switch operation {
    case .insert: shape * 8
    case .update: shape * 8 + 1
    case .delete: shape * 8 + 2
    }
  }

  /// Whether an object belongs to the program.
  static func isOurs(_ name: String) -> Bool {
    let folded = ChangeFilter.folded(name)
    return folded.hasPrefix("_history_") || folded == "history_author"
  }

  /// A name that no tracked table can have.
  static let noTable = "sqlite_schema"

  /// Whether a table is SQLite's own.
  static func isSystem(_ name: String) -> Bool {
    ChangeFilter.folded(name).hasPrefix("sqlite_")
  }

  /// The value columns from a place on, as `v0,v1`.
  static func slotNames(_ count: Int, from start: Int = 0, of alias: String = "") -> String {
    (start..<start + count).map { "\(alias)v\($0)" }.joined(separator: ",")
  }

  /// The statements that make a store of a database.
  ///
  /// Nothing that triggers write has a constraint besides its integer key: the policy of the
  /// application's statement would rule it (fact 4). The key is not AUTOINCREMENT, which would
  /// write a second row for each; trimming keeps the last row instead.
  static let creation = """
    CREATE TABLE _history_store(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
    CREATE TABLE _history_table(
      id INTEGER PRIMARY KEY, name TEXT, capture TEXT, times INTEGER, active INTEGER, root INTEGER);
    CREATE TABLE _history_column(
      shape INTEGER, place INTEGER, name TEXT, key_place INTEGER, kind INTEGER,
      PRIMARY KEY(shape, place)) WITHOUT ROWID;
    CREATE TABLE _history_change(sequence INTEGER PRIMARY KEY, what, at, \(slotNames(slots)));
    """

  /// The objects that hold nothing which could be lost: they can be made anew at any time.
  static let replaceable: [(name: String, sql: String)] = [
    ("_history_stash", "CREATE TABLE _history_stash(what, row, old, \(slotNames(slots)))"),
    (
      "_history_consumer",
      """
      CREATE TABLE _history_consumer(name TEXT PRIMARY KEY, token TEXT, sequence INTEGER, at)
      WITHOUT ROWID
      """
    ),
    (
      "history_author", "CREATE VIEW history_author(name, context) AS SELECT NULL, NULL"
    ),
    (
      "_history_author_insert",
      """
      CREATE TRIGGER _history_author_insert INSTEAD OF INSERT ON history_author BEGIN
        SELECT RAISE(ABORT, 'history_author: the name is empty')
          WHERE NEW.name IS NULL OR NEW.name = '';
        INSERT INTO _history_change(what, at, v0, v1)
          VALUES(\(Mark.opened), julianday('now'), CAST(NEW.name AS TEXT), NEW.context);
      END
      """
    ),
    (
      "_history_author_delete",
      """
      CREATE TRIGGER _history_author_delete INSTEAD OF DELETE ON history_author BEGIN
        INSERT INTO _history_change(what, at, v0)
          VALUES(\(Mark.closed), julianday('now'), random());
      END
      """
    ),
  ]

  /// The replaceable objects that are not there.
  static func missing(in connection: Connection) throws -> [(name: String, sql: String)] {
    let present = Set(
      try connection.rows("SELECT name FROM sqlite_schema").compactMap { $0[0].text })
    return replaceable.filter { !present.contains($0.name) }
  }

  /// The objects that ``creation`` makes, in the order in which they are dropped.
  static let objects = [
    ("VIEW", "history_author"), ("TABLE", "_history_sync"), ("TABLE", "_history_sync_seen"),
    ("TABLE", "_history_sync_row"), ("TABLE", "_history_conflict"), ("TABLE", "_history_consumer"),
    ("TABLE", "_history_stash"),
    ("TABLE", "_history_change"), ("TABLE", "_history_column"), ("TABLE", "_history_table"),
    ("TABLE", "_history_store"),
  ]
}
