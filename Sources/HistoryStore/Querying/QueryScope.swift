import HistoryModel
import SQLite

/// Which changes can change what a query gives, worked out from what it reads.
struct QueryScope {
  /// The changes that matter.
  private(set) var interest: ChangeInterest
  /// Whether what it reads may change without a change in the history: capture has drifted, or a
  /// rowid is read that nothing keeps.
  private(set) var isBlind = false

  /// Works out the scope, inside a transaction of the caller's.
  ///
  /// - Parameters:
  ///   - text: The query.
  ///   - reads: What it reads.
  ///   - inspection: The schema, and the capture of its tables.
  ///   - connection: The connection.
  ///   - path: The database's path, for errors.
  ///   - parameter: The value of a parameter that is written as given.
  /// - Throws: ``HistoryModel/HistoryError`` with code `notTracked` when a table that it reads is
  ///   not captured.
  init(
    _ text: QueryText, _ reads: QueryReads, _ inspection: CaptureInspection,
    on connection: Connection, at path: String, _ parameter: (String) -> StoredValue?
  ) throws {
    let tracked = try Self.tracked(reads, inspection, connection, path)
    // What no table may be called: an interest without a table would be one in all of them.
    var names: Set<String> = [Layout.noTable]
    var columns: [String: Set<String>] = [:]
    for (table, description, reported) in tracked {
      // Until capture is renewed, changes go by the name that the table had.
      let both = [description.name, table.active.shape.table].map(ChangeFilter.folded)
      names.formUnion(both)
      if !table.drift.isEmpty { isBlind = true }
      guard let reported else { continue }
      if reported.contains(Self.rowID), !Self.hasKeptRowID(description) { isBlind = true }
      for name in both { columns[name] = Set(reported.map(ChangeFilter.folded)) }
    }
    let isExact = try !Self.joinsByName(text, connection)
    interest = ChangeInterest(
      ChangeFilter(tables: names), columns: isExact ? .byTable(columns) : .any)
    guard reads.tables.count == 1, let (table, description, _) = tracked.first,
      let key = text.key(called: Self.keyNames(description), parameter)
    else { return }
    for name in [description.name, table.active.shape.table] {
      interest.rows[ChangeFilter.folded(name)] = key
    }
  }

  private typealias Tracked = (
    table: CaptureInspection.Table, description: TableDescription, columns: Set<String>?
  )

  /// The tracked tables among what is read.
  private static func tracked(
    _ reads: QueryReads, _ inspection: CaptureInspection, _ connection: Connection, _ path: String
  ) throws -> [Tracked] {
    var kinds: [String: SchemaReader.Kind] = [:]
    for (name, kind) in inspection.names { kinds[ChangeFilter.folded(name)] = kind }
    var modules: Set<String>?
    var tracked: [Tracked] = []
    for (folded, read) in reads.tables.sorted(by: { $0.key < $1.key }) {
      let isElsewhere = read.database != nil && read.database != "main"
      guard !isElsewhere, !Layout.isOurs(folded), !Layout.isSystem(folded) else {
        throw HistoryError.readsUntracked(read.name, isTrackable: false, at: path)
      }
      switch kinds[folded] {
      case .view: continue
      case .ordinary:
        let table = inspection.tables.first {
          $0.current.map { ChangeFilter.folded($0.name) } == folded
        }
        guard let table, let description = table.current else {
          throw HistoryError.readsUntracked(read.name, isTrackable: true, at: path)
        }
        tracked.append((table, description, read.columns))
      case .virtual, .shadow:
        throw HistoryError.readsUntracked(read.name, isTrackable: false, at: path)
      case nil:
        if pureFunctions.contains(folded) { continue }
        // A name that is in no schema is a table-valued function or one that WITH gave; SQLite asks
        // about the latter's columns never, and about the name where none of them is used.
        if read.database == nil {
          if modules == nil {
            modules = Set(
              try connection.rows("SELECT name FROM pragma_module_list").compactMap {
                $0[0].text.map(ChangeFilter.folded)
              })
          }
          let isFunction = modules?.contains(folded) == true || folded.hasPrefix("pragma_")
          if !isFunction { continue }
        }
        throw HistoryError.readsUntracked(read.name, isTrackable: false, at: path)
      }
    }
    return tracked
  }

  /// Table-valued functions whose rows come from their arguments alone.
  private static let pureFunctions: Set<String> = ["json_each", "json_tree", "generate_series"]

  /// What the authorizer calls the rowid of a table that has no other name for it.
  private static let rowID = "ROWID"

  /// Whether every change of the rowid is in the history: where it is the key.
  private static func hasKeptRowID(_ table: TableDescription) -> Bool {
    table.keyColumns.isEmpty
  }

  /// The names that reach the integer key of a table; none where its key is another.
  private static func keyNames(_ table: TableDescription) -> [String] {
    let key = table.keyColumns
    guard key.count == 1, table.identity == .rowID(key[0].name) else { return [] }
    let taken = Set(table.columns.map { ChangeFilter.folded($0.name) })
    return [key[0].name] + ["rowid", "_rowid_", "oid"].filter { !taken.contains($0) }
  }

  /// Whether the query, or a view that it could mean, joins by the names of columns, of which SQLite
  /// does not tell (fact 59).
  private static func joinsByName(_ text: QueryText, _ connection: Connection) throws -> Bool {
    var views = try connection.rows("SELECT name, sql FROM sqlite_schema WHERE type = 'view'")
      .compactMap { row in
        row[0].text.flatMap { name in row[1].text.map { (name: name, text: QueryText($0)) } }
      }
    var pending = [text]
    while let text = pending.popLast() {
      if text.mentions(keyword: "USING") || text.mentions(keyword: "NATURAL") { return true }
      let next = views.partition { text.mentions(name: $0.name) }
      pending += views[next...].map(\.text)
      views.removeSubrange(next...)
    }
    return false
  }
}
