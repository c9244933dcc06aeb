import EventLoop
import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite

@testable import StoreBoundary

extension SchemaVersion {
  /// A version whose way is SQL alone.
  static func sql(_ number: Int, _ sql: String, name: String = "step") -> SchemaVersion {
    SchemaVersion(number, name, .lightweight(sql))
  }
}

extension TemporaryDirectory {
  /// The names of all that is in it, sorted.
  func names() throws -> [String] { try FileNames.list(path) }
}

extension TemporaryStore {
  /// The files beside the store.
  var neighbours: StoreNeighbours { StoreNeighbours(of: path) }

  /// Takes the store along a plan as its owner, and lets go of it.
  @discardableResult
  func migrate(
    _ versions: SchemaVersion..., copiesKept: Int = 3,
    telling tell: @escaping (MigrationEvent) -> Void = { _ in }
  ) throws -> MigrationOutcome {
    try migrate(versions, copiesKept: copiesKept, telling: tell)
  }

  /// Takes the store along a plan as its owner, and lets go of it.
  @discardableResult
  func migrate(
    _ versions: [SchemaVersion], copiesKept: Int = 3,
    telling tell: @escaping (MigrationEvent) -> Void = { _ in }
  ) throws -> MigrationOutcome {
    var options = MigrationOptions(writer: "app")
    options.createsStore = false
    options.busyTimeout = 0
    options.copiesKept = copiesKept
    return try StoreOwnership.take(
      path, plan: MigrationPlan(versions), options: options, telling: tell
    ).outcome
  }

  /// Why a client may not open the store; nil when it may.
  func refusal(schema: Int) -> UnavailableReason? {
    switch StoreReadiness(of: path, schema: schema) {
    case .unavailable(let error): error.unavailableReason
    default: nil
    }
  }

  /// The first value of the first row, written as SQL would.
  func value(_ sql: String) throws -> StoredValue? { try connection().row(sql)?[0] }

  /// The names of the files beside the store that end so.
  func files(endingWith end: String) throws -> [String] {
    try directory.names().filter { $0.hasSuffix(end) }
  }
}

/// All that an application sees of a database: its schema and its rows, to compare.
struct StoreContent: Equatable, CustomStringConvertible {
  /// `PRAGMA user_version`.
  let version: Int
  /// Each table's rows and each object's SQL, one line each.
  let lines: [String]

  init(_ path: String) throws {
    let connection = try Connection(path: path)
    version = Int(try connection.row("PRAGMA user_version")?[0].integer ?? -1)
    var lines: [String] = []
    for row in try connection.rows(
      """
      SELECT type, name, sql FROM sqlite_schema
      WHERE substr(name, 1, 9) <> '_history_' AND name <> 'history_author'
        AND substr(name, 1, 7) <> 'sqlite_' ORDER BY name
      """)
    {
      guard let type = row[0].text, let name = row[1].text else { continue }
      lines.append("\(type) \(name): \(row[2].text ?? "")")
      guard type == "table" else { continue }
      let table = Identifier.quoted(name)
      let rows = try connection.rows("SELECT * FROM \(table)").map { "\(name) \($0)" }
      lines += rows.sorted()
    }
    self.lines = lines
    try connection.close()
  }

  var description: String { "version \(version)\n" + lines.joined(separator: "\n") }
}
