import Glibc
import HistoryTestSupport
import SQLite
import Testing

/// `results`, as a program or a person meets it; what a difference says is tested below.
@Suite("results", .timeLimit(.minutes(1)))
struct ResultsTests {
  private static let query = "SELECT id, title FROM tasks ORDER BY id"

  private func store() throws -> TemporaryStore {
    let store = try TemporaryStore(
      sql: """
        CREATE TABLE tasks(id INTEGER PRIMARY KEY, title TEXT);
        INSERT INTO tasks VALUES (1, 'a'), (2, 'b')
        """)
    try store.track()
    return store
  }

  @Test("without following it prints the rows and ends")
  func once() throws {
    let store = try store()
    let result = try HistorywatchProcess.run(
      ["results", store.path, "--query", Self.query, "--no-follow"])
    #expect(result.code == 0)
    #expect(result.errors == "")
    #expect(result.lines.map { $0.field("kind") } == ["hello", "results", "bye"])
    #expect(result.lines[1].hasSuffix(#","rows":[{"id":1,"title":"a"},{"id":2,"title":"b"}]}"#))
    #expect(result.lines[2].hasPrefix(#"{"kind":"bye","reason":"end","token":"hw1."#))
  }

  @Test("sections say which rows belong together, in every line")
  func sections() throws {
    let store = try store()
    let process = try HistorywatchProcess([
      "results", store.path, "--query", "SELECT title, id FROM tasks ORDER BY title", "--key", "id",
      "--section", "title",
    ])
    let rows = try process.lines(through: "results").last ?? ""
    #expect(rows.hasSuffix(#""sections":[{"value":"a","count":1},{"value":"b","count":1}]}"#))
    try store.connection().execute("UPDATE tasks SET title = 'a'")
    let difference = try process.lines(through: "difference").last ?? ""
    #expect(difference.hasSuffix(#""sections":[{"value":"a","count":2}]}"#))
    process.signal(15)
    let result = try process.finish()
    #expect(result.code == 143)
    #expect(result.lines.last?.hasPrefix(#"{"kind":"bye","reason":"signal","token":"hw1."#) == true)
  }

  @Test(
    "the program says what is wrong with a query, without a line of data",
    arguments: [
      (["--query", "SELECT 1; SELECT 2"], 2), (["--query", "DELETE FROM tasks"], 2),
      (["--query", "SELEKT"], 2), (["--query", "SELECT * FROM plain"], 5),
      (["--query", query, "--key", "nothing"], 2), (["--query", query, "--section", "nothing"], 2),
      (["--query", "SELECT ?1", "--bind", "x=1"], 2), (["--query", query, "--bind", "x"], 2),
      ([], 2),
    ] as [([String], Int32)])
  func refused(options: [String], code: Int32) throws {
    let store = try store()
    try store.connection().execute("CREATE TABLE plain(id INTEGER PRIMARY KEY)")
    let result = try HistorywatchProcess.run(["results", store.path] + options)
    #expect(result.code == code, "\(options): \(result.errors)")
    #expect(result.output == "")
    #expect(result.errors.hasPrefix("historywatch: "))
    #expect(result.errorLines.count <= 2)
  }

  @Test("a reader that goes away ends it quietly")
  func readerGone() throws {
    let store = try store()
    let process = try HistorywatchProcess(["results", store.path, "--query", Self.query])
    try process.lines(through: "results")
    process.closeOutput()
    let result = try process.finish()
    #expect(result.code == 141)
    #expect(result.errors == "")
  }

  @Test("a query that fails after a change of the schema is told, and goes on when it can again")
  func schemaChange() throws {
    let store = try store()
    let process = try HistorywatchProcess([
      "results", store.path, "--query", Self.query, "--key", "id",
    ])
    try process.lines(through: "results")
    let connection = try store.connection()
    try connection.execute("ALTER TABLE tasks RENAME COLUMN title TO name")
    #expect(try process.errorLine().hasPrefix("historywatch: "))
    try connection.execute(
      "ALTER TABLE tasks RENAME COLUMN name TO title; INSERT INTO tasks VALUES (3, 'c')")
    let difference = try process.lines(through: "difference").last ?? ""
    #expect(difference.contains(#""inserted":[{"index":2,"row":{"id":3,"title":"c"}}]"#))
  }

  @Test("another store moved over the file ends it with exit 3")
  func replaced() throws {
    let (store, other) = (try store(), try store())
    let process = try HistorywatchProcess(["results", store.path, "--query", Self.query])
    try process.lines(through: "results")
    try other.connection().execute("PRAGMA journal_mode = delete")
    #expect(rename(other.path, store.path) == 0)
    let result = try process.finish()
    #expect(result.code == 3)
    #expect(result.lines.last?.hasPrefix(#"{"kind":"bye","reason":"expired""#) == true)
  }
}
