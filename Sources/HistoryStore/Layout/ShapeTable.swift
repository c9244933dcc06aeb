import HistoryModel
import SQLite

/// The shapes of tables as the store keeps them: `_history_table` and `_history_column`.
///
/// A shape is never changed once a change may refer to it; a table whose shape changes gets a new
/// one, so that its older changes are read as they were written.
struct ShapeTable {
  /// A table that is being captured, as the store has it.
  struct Active {
    var shape: TableShape
    var keepsTimes: Bool
    /// The table's root page when its capture was made; a rebuilt table has another.
    var rootPage: Int64
  }

  /// What `kind` of a column says.
  private enum Kind {
    static let value: Int64 = 0
    static let real: Int64 = 1
    static let rowID: Int64 = 2
    static let other: Int64 = 3
  }

  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// The tables that are being captured, in the order of their first tracking.
  func active() throws -> [Active] {
    try connection.rows(
      "SELECT id, times, root FROM _history_table WHERE active = 1 ORDER BY id"
    ).compactMap { row in
      try shape(row[0].integer ?? 0).map {
        Active(shape: $0, keepsTimes: row[1].integer == 1, rootPage: row[2].integer ?? 0)
      }
    }
  }

  /// Whether a table was captured before and is not any more.
  func wasTracked(_ table: String) throws -> Bool {
    try connection.row(
      "SELECT 1 FROM _history_table WHERE name = ? COLLATE NOCASE AND active = 0", .text(table))
      != nil
  }

  /// A shape by its number; nil when there is none.
  func shape(_ identifier: Int64) throws -> TableShape? {
    guard
      let table = try connection.row(
        "SELECT name, capture FROM _history_table WHERE id = ?", .integer(identifier)),
      let name = table[0].text, let capture = table[1].text.flatMap({ Capture(rawValue: $0) })
    else { return nil }
    var columns: [TableShape.Column] = []
    var others: [String] = []
    for row in try connection.rows(
      "SELECT name, key_place, kind FROM _history_column WHERE shape = ? ORDER BY place",
      .integer(identifier))
    {
      let name = row[0].text ?? ""
      if row[2].integer == Kind.other {
        others.append(name)
      } else {
        columns.append(
          TableShape.Column(
            name: name, keyPlace: row[1].integer.map { Int($0) },
            isReal: row[2].integer == Kind.real, isInImages: row[2].integer != Kind.rowID))
      }
    }
    return TableShape(
      identifier: identifier, table: name, capture: capture, columns: columns,
      otherColumns: others)
  }

  /// The number that the next shape will have.
  func next() throws -> Int64 {
    (try connection.row("SELECT max(id) FROM _history_table")?[0].integer ?? 0) + 1
  }

  /// Keeps the shape of a plan as the active one of its table.
  func keep(_ plan: CapturePlan) throws {
    try connection.run(
      """
      INSERT OR REPLACE INTO _history_table(id, name, capture, times, active, root)
      SELECT ?, ?, ?, ?, 1, rootpage FROM sqlite_schema WHERE type = 'table' AND name = ?
      """, .integer(plan.shape), .text(plan.table.name), .text(plan.capture.rawValue),
      .integer(plan.keepsTimes ? 1 : 0), .text(plan.table.name))
    try connection.run(
      "DELETE FROM _history_column WHERE shape = ?", .integer(plan.shape))
    var place: Int64 = 0
    func keep(_ name: String, keyPlace: Int?, kind: Int64) throws {
      try connection.run(
        """
        INSERT INTO _history_column(shape, place, name, key_place, kind) VALUES(?, ?, ?, ?, ?)
        """, .integer(plan.shape), .integer(place), .text(name),
        keyPlace.map { .integer(Int64($0)) } ?? .null, .integer(kind))
      place += 1
    }
    for column in plan.stored {
      let kind =
        !column.isInImages ? Kind.rowID : column.affinity == .real ? Kind.real : Kind.value
      try keep(column.name, keyPlace: column.keyPlace, kind: kind)
    }
    for name in plan.otherColumns { try keep(name, keyPlace: nil, kind: Kind.other) }
  }

  /// Ends the capture of a shape; its changes stay readable.
  func retire(_ identifier: Int64) throws {
    try connection.run(
      "UPDATE _history_table SET active = 0 WHERE id = ?", .integer(identifier))
  }
}
