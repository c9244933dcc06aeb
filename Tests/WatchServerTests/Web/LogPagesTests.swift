import HTTPServer
import HistoryModel
import HistoryObservation
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

@testable import WatchServer

/// What `/log` answers.
@Suite("The log over HTTP", .timeLimit(.minutes(1)))
struct LogPagesTests {
  /// The lines of an answer.
  private func log(
    _ query: String, of stage: ServingStage, pages most: Int = .max
  ) async throws -> [JSONObject] {
    let query = try LogQuery(HTTPRequest(.get, target: Array("/log?\(query)".utf8)))
    let hub = try await stage.server.store(query.database).observed().hub
    let bytes = try await withTaskExecutorPreference(stage.executor) {
      var pages = try await LogPages(query, of: hub)
      var read = 0
      while read < most, try await pages.readOn() { read += 1 }
      return pages.lines
    }
    return try bytes.split(separator: UInt8(ascii: "\n")).map {
      try #require(JSONValue(parsing: Array($0)).object)
    }
  }

  private func keys(_ lines: [JSONObject]) -> [Int64?] {
    lines.map { $0["changes"]?.array?.first?.object?["key"]?.object?["id"]?.integer }
  }

  @Test("the newest transactions come first, each whole, and no more than were asked for")
  func newest() async throws {
    let stage = try await ServingStage()
    for id in 1...5 { try await stage.write("INSERT INTO tasks(id) VALUES (\(id)), (\(id + 10))") }
    let lines = try await log("limit=3", of: stage)
    #expect(keys(lines) == [5, 4, 3])
    #expect(lines.allSatisfy { $0["kind"]?.string == "transaction" })
    #expect(lines.allSatisfy { $0["changes"]?.array?.count == 2 })
    #expect(try await keys(log("limit=0", of: stage)) == [])
    await stage.stop()
  }

  @Test("what precedes a line is had by its token, until there is nothing any more")
  func earlier() async throws {
    let stage = try await ServingStage()
    for id in 1...5 { try await stage.write("INSERT INTO tasks(id) VALUES (\(id))") }
    var found: [[Int64?]] = []
    var lines = try await log("limit=2", of: stage)
    while let token = lines.last?["token"]?.string {
      found.append(keys(lines))
      lines = try await log("limit=2&before=\(token)", of: stage)
    }
    #expect(found == [[5, 4], [3, 2], [1]])
    await stage.stop()
  }

  @Test("filters are those of a stream, and what is rare is found further back")
  func filters() async throws {
    let stage = try await ServingStage()
    try await stage.write("INSERT INTO notes(id) VALUES (1)", author: "sync")
    // Two pages' worth.
    for id in 0..<2 {
      try await stage.write(
        """
        WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
        INSERT INTO tasks(id) SELECT i + \(id) * 20000 FROM n
        """)
    }
    #expect(try await keys(log("author=sync", of: stage, pages: 1)) == [])
    #expect(try await keys(log("author=sync", of: stage)) == [1])
    #expect(try await keys(log("table=Notes&op=insert", of: stage)) == [1])
    #expect(try await log("op=delete", of: stage).isEmpty)
    #expect(try await log("not-author=sync", of: stage).count == 2)
    await stage.stop()
  }

  @Test("what precedes a position of before the store went on from a copy is found")
  func earlierEpoch() async throws {
    let stage = try await ServingStage()
    try await stage.write("INSERT INTO tasks(id) VALUES (1)")
    let token = try await stage.write("INSERT INTO tasks(id) VALUES (2)")
    let connection = try stage.file.connection()
    _ = try connection.transaction(.immediate) { try StoreEpochs(connection).begin(after: 1) }
    try await stage.write("INSERT INTO tasks(id) VALUES (3)")
    #expect(try await keys(log("before=\(token)", of: stage)) == [1])
    #expect(try await keys(log("", of: stage)) == [3, 2, 1])
    await stage.stop()
  }

  @Test("a change of the schema stands where it happened")
  func notices() async throws {
    let stage = try await ServingStage()
    try await stage.write("INSERT INTO tasks(id) VALUES (1)")
    try stage.file.connection().execute("ALTER TABLE tasks ADD COLUMN due TEXT")
    try stage.file.track()
    try await stage.write("INSERT INTO tasks(id) VALUES (2)")
    let kinds = try await log("", of: stage).map { $0["kind"]?.string }
    #expect(kinds == ["transaction", "schema", "transaction"])
    await stage.stop()
  }

  @Test("a position that was trimmed has expired, and a field that is unknown is refused")
  func refused() async throws {
    let stage = try await ServingStage()
    let first = try await stage.write("INSERT INTO tasks(id) VALUES (1)")
    let second = try await stage.write("INSERT INTO tasks(id) VALUES (2)")
    try await stage.write("INSERT INTO tasks(id) VALUES (3)")
    _ = try HistoryTrimmer(stage.file.opened()).trim(keeping: .after(second), isForced: false)
    let expired = await #expect(throws: HistoryError.self) {
      try await log("before=\(first)", of: stage)
    }
    #expect(expired?.code == .historyTokenExpired)
    let unknown = await #expect(throws: HistoryError.self) { try await log("sinc=now", of: stage) }
    #expect(unknown?.code == .usage)
    await stage.stop()
  }
}
