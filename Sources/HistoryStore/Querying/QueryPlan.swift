import HistoryModel
import SQLite

/// A query prepared for a schema, with what was found out about it.
struct QueryPlan {
  /// The query, in an order without ties, with its arguments.
  let statement: Statement
  /// The names of its columns, no two the same.
  let columns: [String]
  /// The places of the key columns; none where a row is its own key.
  let key: [Int]
  /// The place of the section column.
  let section: Int?
  /// Which changes matter.
  let scope: QueryScope
  /// The schema's cookie that all of it holds for, and the one that capture was sealed with.
  let versions: Versions

  /// What must not have moved for a plan to hold.
  struct Versions: Equatable {
    let schema: Int64
    let capture: Int64
  }

  /// Prepares a query, inside a transaction of the caller's.
  ///
  /// - Throws: ``HistoryModel/HistoryError`` with code `usage` when it is not a single statement
  ///   that only reads, or has not the columns or parameters that were named; `statementFailed` when
  ///   SQLite does not take it; `notTracked` when it reads what is not captured.
  init(_ request: QueryRequest, on store: TrackedStore, _ header: StoreHeader) throws {
    let connection = store.connection
    let text = request.text
    let original = try Self.prepare(text, on: connection)
    columns = ResultRows.distinct(Self.names(of: original))
    key = try Self.places(of: request.key, among: columns)
    section = try Self.places(of: request.section.map { [$0] } ?? [], among: columns).first
    let order = key.isEmpty ? Array(columns.indices) : key
    statement = Self.ordered(text, original, by: order, on: connection)
    let values = try request.arguments.values(for: statement)
    try statement.bind(values)
    let ordered = statement
    versions = Versions(schema: try store.schemaVersion(), capture: header.schemaVersion)
    scope = try QueryScope(
      text, QueryReads(text.text, on: connection),
      CaptureInspection(connection, header: header), on: connection, at: store.path
    ) { name in
      if name == "?" { return values.count == 1 ? values[0] : nil }
      return ordered.parameterIndex(named: name).map { values[$0 - 1] }
    }
  }

  /// Prepares the text as it is, and refuses what is not to be observed.
  static func prepare(_ text: QueryText, on connection: Connection) throws -> Statement {
    guard !text.tokens.isEmpty else { throw HistoryError.emptyQuery }
    // Some statements act while they are prepared; none of those that begin like this.
    guard text.beginsReading else {
      throw text.beginsStatement ? HistoryError.notReading : .misspelt(text.tokens[0].token.text)
    }
    guard !text.hasFurther else { throw HistoryError.severalQueries }
    let statement = try HistoryError.ofQuery { () throws(SQLiteError) in
      try connection.prepare(text.text)
    }
    guard statement.isReadOnly, !statement.isExplain, statement.columnCount > 0 else {
      throw HistoryError.notReading
    }
    return statement
  }

  /// The query in an order without ties; as it is where SQLite does not take that.
  static func ordered(
    _ text: QueryText, _ original: Statement, by columns: [Int], on connection: Connection
  ) -> Statement {
    guard let ordered = try? connection.prepare(text.ordered(by: columns)),
      names(of: ordered) == names(of: original),
      ordered.parameterCount == original.parameterCount
    else { return original }
    return ordered
  }

  static func names(of statement: Statement) -> [String] {
    (0..<statement.columnCount).map { statement.columnName($0) }
  }

  private static func places(of names: [String], among columns: [String]) throws -> [Int] {
    try names.map { name in
      guard let place = columns.firstIndex(where: { Identifier.equal($0, name) }) else {
        throw HistoryError.noSuchColumn(name, among: columns)
      }
      return place
    }
  }
}
