import HistoryModel
import HistoryTestSupport
import SQLite
import Testing

@testable import HistoryStore

/// The triggers of one table, whole: whoever changes what capture writes sees here what becomes of
/// every writer's statements.
@Suite("Trigger text")
struct TriggerTextTests {
  static let schema = """
    CREATE TABLE tasks(id INTEGER PRIMARY KEY, title TEXT UNIQUE, done INTEGER, note)
    """

  @Test("the triggers of the reference table are these")
  func whole() throws {
    let store = try TemporaryStore(sql: Self.schema)
    try store.track()
    let triggers = try store.connection().rows(
      "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name LIKE '@_history@_1@_%' ESCAPE '@'"
        + " ORDER BY rowid"
    ).compactMap { $0[0].text }
    let text = triggers.joined(separator: "\n\n")
    #expect(text == Self.expected)
  }

  @Test("with keys no column is named that is neither in the key nor in a UNIQUE index")
  func keys() throws {
    let store = try TemporaryStore(sql: Self.schema)
    try store.track(capture: .keys)
    let triggers = try store.connection().rows(
      "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'tasks'"
    ).compactMap { $0[0].text }
    #expect(triggers.count == 6)
    for trigger in triggers {
      #expect(!trigger.contains("\"done\""))
      #expect(!trigger.contains("\"note\""))
    }
  }

  @Test("no trigger calls a function that SQLite does not inline when times are left out")
  func functions() throws {
    let store = try TemporaryStore(sql: Self.schema)
    try store.track(omitsTimes: true)
    for row in try store.connection().rows(
      "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'tasks'")
    {
      let sql = row[0].text ?? ""
      #expect(!sql.contains("julianday"))
      #expect(!sql.contains("typeof"))
    }
  }

  @Test("without times and with keys nothing of the row is stored but its key")
  func stored() throws {
    let store = try TemporaryStore(sql: Self.schema)
    try store.track(capture: .keys, omitsTimes: true)
    try store.connection().execute("INSERT INTO tasks VALUES (7, 'a', 1, x'00')")
    let row = try store.connection().row("SELECT * FROM _history_change") ?? []
    #expect(row.filter { !$0.isNull } == [1, 8, 7])
  }
}
