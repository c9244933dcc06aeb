import HistoryModel
import SQLite

/// Reads what capture must know of the application's schema.
struct SchemaReader {
  /// What a name in the schema stands for.
  enum Kind: Sendable {
    case ordinary(isWithoutRowID: Bool, isStrict: Bool)
    case view, virtual, shadow
  }

  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// The tables and views of the main schema by name, in the order of their making; SQLite's own
  /// and ours left out.
  ///
  /// `PRAGMA table_list` tells shadow tables apart; it needs SQLite 3.37.
  func names() throws -> [(name: String, kind: Kind)] {
    try connection.rows(
      """
      SELECT l.name, l.type, l.wr, l.strict FROM pragma_table_list AS l
      JOIN sqlite_schema AS m ON m.name = l.name AND m.type IN ('table', 'view')
      WHERE l.schema = 'main' ORDER BY m.rowid
      """
    ).compactMap { row in
      guard let name = row[0].text, !Layout.isOurs(name), !Layout.isSystem(name) else { return nil }
      let kind: Kind
      switch row[1].text {
      case "table":
        kind = .ordinary(isWithoutRowID: row[2].integer == 1, isStrict: row[3].integer == 1)
      case "view": kind = .view
      case "virtual": kind = .virtual
      default: kind = .shadow
      }
      return (name, kind)
    }
  }

  /// Describes a table.
  ///
  /// - Parameters:
  ///   - name: An ordinary table's name, as the schema writes it.
  ///   - isWithoutRowID: Whether it is a WITHOUT ROWID table.
  ///   - isStrict: Whether it is a STRICT table.
  /// - Returns: What capture must know of it.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `untrackable` when its rows cannot be told
  ///   apart.
  func describe(_ name: String, isWithoutRowID: Bool, isStrict: Bool) throws -> TableDescription {
    let sql =
      try connection.row(
        "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?", .text(name))?[0].text
      ?? ""
    let columns = try columns(of: name, isStrict: isStrict, sql)
    let indexes = try connection.rows(
      "SELECT name, origin FROM pragma_index_list(?) WHERE \"unique\" = 1 ORDER BY seq DESC",
      .text(name))
    let uniques = try indexes.compactMap { try $0[0].text.map { try unique($0) } }
    let key = columns.filter { $0.keyPlace != nil }
    var identity = TableDescription.Identity.key
    if !isWithoutRowID {
      // INTEGER PRIMARY KEY is the rowid itself, unless an index stands for it (DESC, fact 52).
      let hasKeyIndex = indexes.contains { $0[1].text == "pk" }
      let taken = Set(columns.map { ChangeFilter.folded($0.name) })
      if key.count == 1, !hasKeyIndex {
        identity = .rowID(key[0].name)
      } else if let free = ["rowid", "_rowid_", "oid"].first(where: { !taken.contains($0) }) {
        identity = .rowID(free)
      } else if key.isEmpty {
        throw HistoryError.rowIDIsHidden(table: name)
      }
    }
    return TableDescription(
      name: name, sql: sql, columns: columns, isWithoutRowID: isWithoutRowID, identity: identity,
      uniques: uniques, foreignKeys: try foreignKeys(of: name))
  }

  private func columns(
    of table: String, isStrict: Bool, _ sql: String
  ) throws -> [TableDescription.Column] {
    let generations = GeneratedColumns(sql: sql)
    // table_info leaves generated columns out (fact 13).
    return try connection.rows(
      """
      SELECT name, type, "notnull", dflt_value, pk, hidden FROM pragma_table_xinfo(?)
      WHERE hidden <> 1 ORDER BY cid
      """, .text(table)
    ).map { row in
      let place = row[4].integer ?? 0
      return TableDescription.Column(
        name: row[0].text ?? "",
        affinity: Affinity(declaredType: row[1].text ?? "", isStrict: isStrict),
        isNotNull: row[2].integer == 1, defaultSQL: row[3].text,
        keyPlace: place > 0 ? Int(place) - 1 : nil,
        generation: (row[5].integer ?? 0) >= 2
          ? generations.expression(of: row[0].text ?? "") ?? "NULL" : nil)
    }
  }

  private func unique(_ index: String) throws -> UniqueConstraint {
    let sql =
      try connection.row(
        "SELECT sql FROM sqlite_schema WHERE type = 'index' AND name = ?", .text(index))?[0].text
    let definition = sql.map { IndexDefinition(sql: $0) }
    let terms = try connection.rows(
      "SELECT cid, name, coll FROM pragma_index_xinfo(?) WHERE key = 1 ORDER BY seqno",
      .text(index)
    ).enumerated().map { place, row in
      let collation = row[2].text ?? "BINARY"
      if let column = row[1].text, row[0].integer ?? -1 >= 0 {
        return UniqueConstraint.Term(subject: .column(column), collation: collation)
      }
      let term = definition?.terms[place] ?? ""
      return UniqueConstraint.Term(
        subject: .expression(IndexDefinition.expression(of: term)), collation: collation)
    }
    return UniqueConstraint(terms: terms, condition: definition?.condition)
  }

  private func foreignKeys(of table: String) throws -> [ForeignKey] {
    var keys: [Int64: ForeignKey] = [:]
    for row in try connection.rows(
      """
      SELECT id, "table", "to", on_update, on_delete FROM pragma_foreign_key_list(?)
      ORDER BY id, seq
      """, .text(table))
    {
      let acts = { (value: StoredValue) in
        !["NO ACTION", "RESTRICT", nil].contains(value.text)
      }
      let identifier = row[0].integer ?? 0
      var key =
        keys[identifier]
        ?? ForeignKey(
          parent: row[1].text ?? "", parentColumns: [], actsOnUpdate: acts(row[3]),
          actsOnDelete: acts(row[4]))
      if let column = row[2].text { key.parentColumns.append(column) }
      keys[identifier] = key
    }
    return keys.sorted { $0.key < $1.key }.map(\.value)
  }
}
