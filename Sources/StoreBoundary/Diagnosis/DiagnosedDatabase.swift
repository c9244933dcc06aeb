import HistoryModel
import HistoryStore
import SQLite

/// What a diagnosis tells of a database once it is opened, or why it cannot be.
struct DiagnosedDatabase {
  let members: [JSONObject.Member]

  /// The settings that are told.
  private static let pragmas = [
    "journal_mode", "page_size", "page_count", "freelist_count", "user_version", "schema_version",
    "application_id", "encoding", "auto_vacuum", "foreign_keys", "synchronous",
    "wal_autocheckpoint", "journal_size_limit", "secure_delete", "cache_size",
  ]

  /// Opens a database and looks at it.
  ///
  /// - Parameters:
  ///   - path: Its path.
  ///   - files: Its files.
  ///   - limit: How long each of the checks that read everything may take.
  init(_ path: String, _ files: StoreNeighbours, limit: Duration) {
    let readiness = JSONObject.Member(name: "ready", value: PresentReadiness(of: path).json)
    do throws(HistoryError) {
      guard DatabaseFile(path: path) != nil else { throw .noStore(path) }
      members = try HistoryError.translating(at: path) {
        let connection = try Connection(path: files.database, access: .readOnly)
        connection.setBusyTimeout(milliseconds: 1000)
        // Whether it is a database at all shows when it is first read.
        let objects = try Self.objects(connection)
        return [
          .init(name: "unavailable", value: .null), readiness,
          .init(name: "pragmas", value: Self.settings(connection)),
          .init(name: "objects", value: objects),
          .init(name: "integrity", value: Self.integrity(connection, limit)),
          .init(name: "foreignKeys", value: Self.foreignKeys(connection, limit)),
          .init(name: "history", value: DiagnosedHistory(path).json),
        ]
      }
    } catch {
      members = [.init(name: "unavailable", value: Self.failure(error)), readiness]
    }
  }

  /// An error without its sentences, which may have paths and SQL in them.
  static func failure(_ error: HistoryError) -> JSONValue {
    let cause = (error.cause as? SQLiteError)?.code.name
    return [
      "code": .string(error.code.description),
      "reason": error.unavailableReason.map { .string($0.rawValue) } ?? .null,
      "sqlite": cause.map { .string($0) } ?? .null,
    ]
  }

  private static func objects(_ connection: Connection) throws -> JSONValue {
    let rows = try connection.rows("SELECT type, count(*) FROM sqlite_schema GROUP BY type")
    let counts = rows.map { ($0[0].text ?? "", $0[1].integer ?? 0) }
    return .object(JSONObject(counts.map { .init(name: $0.0, value: .integer($0.1)) }))
  }

  private static func settings(_ connection: Connection) -> JSONValue {
    .object(
      JSONObject(
        pragmas.map { name in
          let value = (try? connection.row("PRAGMA \(name)"))?.first
          return .init(name: name, value: value.flatMap(setting) ?? .null)
        }))
  }

  private static func setting(_ value: StoredValue) -> JSONValue? {
    value.integer.map { .integer($0) } ?? value.text.map { .string($0) }
  }

  private static func integrity(_ connection: Connection, _ limit: Duration) -> JSONValue {
    var texts: [String] = []
    // What it finds before it cannot go on is worth having.
    let failure = Self.failure { () throws(SQLiteError) in
      try connection.withTimeLimit(limit) { () throws(SQLiteError) in
        let statement = try connection.prepare("PRAGMA integrity_check(100)")
        while try statement.step() { texts.append(statement.text(at: 0) ?? "") }
      }
    }
    let found = IntegrityFindings(texts, connection)
    let findings = found.findings.map { finding, count -> JSONValue in
      [
        "found": .string(finding.kind), "name": finding.name.map { .string($0) } ?? .null,
        "count": .integer(Int64(count)),
      ]
    }
    return ["failure": failure, "findings": .array(findings)]
  }

  private static func foreignKeys(_ connection: Connection, _ limit: Duration) -> JSONValue {
    var counts: [String: Int] = [:]
    let failure = Self.failure { () throws(SQLiteError) in
      counts = try connection.withTimeLimit(limit) { () throws(SQLiteError) in
        try ForeignKeyCheck.counts(connection)
      }
    }
    let findings = counts.sorted { $0.key < $1.key }.map { table, count -> JSONValue in
      ["table": .string(table), "count": .integer(Int64(count))]
    }
    return ["failure": failure, "findings": .array(findings)]
  }

  /// Why a check did not come to its end; null when it did.
  private static func failure(_ check: () throws(SQLiteError) -> Void) -> JSONValue {
    do throws(SQLiteError) {
      try check()
      return .null
    } catch {
      return .string(error.code.name)
    }
  }
}
