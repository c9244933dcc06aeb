import HistoryModel
import HistoryTestSupport
import SQLite
import Testing

@testable import StoreBoundary

@Suite("Applied versions")
struct AppliedVersionsTests {
  private let one = SchemaVersion.sql(1, "CREATE TABLE a(x); INSERT INTO a VALUES (1)")
  private let two = SchemaVersion.sql(2, "INSERT INTO a VALUES (2)")
  private let three = SchemaVersion.sql(3, "INSERT INTO a VALUES (3)")

  /// Expects that a plan is refused, and that nothing at all was changed for it.
  private func expectRefusal(
    _ store: TemporaryStore, _ versions: SchemaVersion..., reason: UnavailableReason,
    saying text: String
  ) throws {
    let before = try StoreContent(store.path)
    let files = try store.directory.names()
    let marker = try ReadinessMarker.read(store.neighbours)
    let error = #expect(throws: HistoryError.self) { try store.migrate(versions) }
    #expect(error?.unavailableReason == reason, "\(error as Any)")
    #expect(error?.message.contains(text) == true, "\(error as Any)")
    #expect(try StoreContent(store.path) == before)
    #expect(
      Set(try store.directory.names()).subtracting(files).isSubset(of: ["store.sqlite-owner"]))
    #expect(try ReadinessMarker.read(store.neighbours) == marker)
  }

  @Test("what is missing is applied in order, once")
  func missing() throws {
    let store = try TemporaryStore()
    let first = try store.migrate(one)
    #expect((first.from, first.to) == (0, 1))
    #expect(first.applied == ["0001 step"])
    #expect(first.rows == [RowCount.compare([:], ["a": 1])[0]])
    let second = try store.migrate(three, one, two)
    #expect((second.from, second.to) == (1, 3))
    #expect(second.applied == ["0002 step", "0003 step"])
    #expect(try store.connection().rows("SELECT x FROM a ORDER BY rowid") == [[1], [2], [3]])
    let third = try store.migrate(one, two, three)
    #expect(third.applied == [] && third.copy == nil && third.rows == [])
    #expect(try store.value("PRAGMA user_version") == 3)
  }

  @Test("a store that is further than the plan is refused")
  func newer() throws {
    let store = try TemporaryStore()
    try store.migrate(one, two)
    try expectRefusal(store, one, reason: .newerSchema, saying: "schema 2, and the plan ends at 1")
    #expect(store.refusal(schema: 2) == nil)
  }

  @Test("a version that the plan does not know is refused, applied last or before")
  func unknown() throws {
    let store = try TemporaryStore()
    try store.migrate(one, two)
    try expectRefusal(store, one, three, reason: .changedSchema, saying: "version 2")
    try expectRefusal(store, two, three, reason: .changedSchema, saying: "version 1")
    let other = try TemporaryStore(sql: "PRAGMA user_version = -1")
    try expectRefusal(other, one, reason: .changedSchema, saying: "version -1")
  }

  @Test("a stage that was changed after it was applied is refused, also when nothing is left to do")
  func changed() throws {
    let store = try TemporaryStore()
    try store.migrate(one, two)
    let other = SchemaVersion.sql(1, "CREATE TABLE a(y)")
    try expectRefusal(store, other, two, reason: .changedSchema, saying: "0001 step")
    try expectRefusal(store, other, two, three, reason: .changedSchema, saying: "0001 step")
    // Its name is for people.
    let named = SchemaVersion(1, "called otherwise", one.stage)
    #expect(try store.migrate(named, two, three).applied == ["0003 step"])
  }

  @Test("a stage below the store's version is refused")
  func late() throws {
    let store = try TemporaryStore()
    try store.migrate(one, three)
    try expectRefusal(store, one, two, three, reason: .changedSchema, saying: "0002 step")
  }

  @Test("a user_version that somebody else has set is refused", arguments: [0, 1, 3])
  func disagreeing(version: Int) throws {
    let store = try TemporaryStore()
    try store.migrate(one, two)
    try store.connection().execute("PRAGMA user_version = \(version)")
    try expectRefusal(
      store, one, two, three, reason: .changedSchema, saying: "version \(version)")
    #expect(store.refusal(schema: 2) != nil)
  }

  @Test("a store with a version of its own is taken up there", arguments: [false, true])
  func adopted(hasMore: Bool) throws {
    let store = try TemporaryStore(
      sql: "CREATE TABLE a(x); INSERT INTO a VALUES (7); PRAGMA user_version = 2")
    let plan = hasMore ? [one, two, three] : [one, two]
    let outcome = try store.migrate(plan)
    #expect(outcome.applied == (hasMore ? ["0003 step"] : []))
    #expect(try store.connection().rows("SELECT x FROM a") == (hasMore ? [[7], [3]] : [[7]]))
    #expect(store.refusal(schema: hasMore ? 3 : 2) == nil)
    // From now on the stages are known.
    let other = SchemaVersion.sql(1, "SELECT 1")
    try expectRefusal(
      store, other, two, three, reason: .changedSchema, saying: "0001 step")
    try expectRefusal(
      try TemporaryStore(sql: "PRAGMA user_version = 2"), one, three, reason: .changedSchema,
      saying: "version 2")
  }

  @Test("an identity that a dropped history left is no version")
  func dropped() throws {
    let store = try TemporaryStore(sql: "CREATE TABLE a(x); PRAGMA user_version = 2")
    try store.track()
    try store.migrate(one, two)
    #expect(store.refusal(schema: 2) == nil)
    #expect(try store.migrate(one, two, three).applied == ["0003 step"])
  }
}
