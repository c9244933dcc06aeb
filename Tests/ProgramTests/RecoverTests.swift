import EventLoop
import HistoryTestSupport
import SQLite
import Testing

@Suite("Recovering with the program", .timeLimit(.minutes(1)))
struct RecoverTests {
  /// A store with one task, a backup of that, and one task more.
  private func scene(_ journal: TemporaryStore.Journal) throws -> (ProgramStore, String) {
    let store = try ProgramStore(journal: journal)
    try store.write("one")
    let backup = store.store.directory.file("backup.db")
    try Backup.copy(from: Connection(path: store.path, access: .readOnly), to: backup)
    return (store, backup)
  }

  @Test("positions of before are good up to the backup's head, and expired beyond it: exit 3")
  func positions() throws {
    let (store, backup) = try scene(.wal)
    let good = try #require(store.stream().lines.last?.field("token"))
    let gone = try store.write("two")
    let result = try HistorywatchProcess.run(["recover", store.path, "--from", backup])
    #expect(result.code == 0, "\(result.errors)")
    #expect(result.lines.first?.hasPrefix("recovered \(store.path): ") == true)
    #expect(result.lines.first?.hasSuffix(", epoch 2") == true)
    #expect(result.lines.last?.contains(".replaced-") == true)
    for title in ["three", "four", "five"] { try store.write(title) }
    #expect(try store.titles(since: good) == ["three", "four", "five"])
    let stream = try store.stream(since: gone)
    #expect(stream.code == 3)
    #expect(stream.lines.compactMap { $0.field("reason") } == ["store-restored", "expired"])
  }

  @Test("a stream that follows a store with a rollback journal is told, and ends with exit 3")
  func running() throws {
    let (store, backup) = try scene(.delete)
    try store.write("two")
    let stream = try HistorywatchProcess(["stream", store.path, "--since", "oldest"])
    while try stream.line().field("title") != "two" {}
    try stream.lines(through: "commit")
    #expect(try HistorywatchProcess.run(["recover", store.path, "--from", backup]).code == 0)
    let lines = try stream.lines(through: "bye")
    #expect(lines.compactMap { $0.field("reason") } == ["store-restored", "expired"])
    #expect(try stream.finish().code == 3)
  }

  @Test("a stream that is not beyond the backup's head goes on in the recovered store")
  func goesOn() throws {
    let (store, backup) = try scene(.delete)
    let stream = try HistorywatchProcess(["stream", store.path, "--since", "oldest"])
    try stream.lines(through: "commit")
    #expect(try HistorywatchProcess.run(["recover", store.path, "--from", backup]).code == 0)
    let token = try store.write("two")
    let lines = try stream.lines(through: "commit")
    #expect(lines.compactMap { $0.field("title") } == ["two"])
    #expect(lines.last?.field("token") == token)
  }

  @Test(
    "a file that is locked when it takes the store's place is followed once it can be read",
    arguments: [1, 2, 3, 4, 6, 8, 12, 16])
  func lockedReplacement(moments: Int) throws {
    let (store, copy) = try scene(.delete)
    let stream = try HistorywatchProcess(["stream", store.path, "--since", "oldest"])
    try stream.lines(through: "commit")
    let connection = try Connection(path: copy)
    try connection.execute("BEGIN EXCLUSIVE; INSERT INTO tasks(title) VALUES ('two')")
    try FileNames.rename(copy, to: store.path)
    // For some milliseconds each: a stream that was woken has looked, once or several times.
    for _ in 0..<moments { _ = try HistorywatchProcess.run(["--version"]) }
    // The journal has the old name, so this commits as if nothing had been moved.
    #expect(throws: Never.self) { try connection.execute("COMMIT") }
    try connection.close()
    try store.write("three")
    var titles: [String] = []
    while titles.last != "three" {
      if let title = try stream.line().field("title") { titles.append(title) }
    }
    #expect(titles == ["two", "three"])
  }

  @Test("with a write-ahead log a stream has the store open: exit 1, and the stream goes on")
  func inUse() throws {
    let (store, backup) = try scene(.wal)
    let stream = try HistorywatchProcess(["stream", store.path])
    try stream.lines(through: "hello")
    let result = try HistorywatchProcess.run(["recover", store.path, "--from", backup])
    expectFailure(result, code: 1, saying: "in use")
    try store.write("two")
    #expect(try stream.lines(through: "commit").first?.field("title") == "two")
  }

  @Test("what cannot take the store's place is exit 5, and itself is exit 2")
  func refused() throws {
    let (store, _) = try scene(.wal)
    let other = try ProgramStore()
    func recover(_ backup: String, _ more: String...) throws -> HistorywatchProcess.Result {
      try HistorywatchProcess.run(["recover", store.path, "--from", backup] + more)
    }
    expectFailure(try recover(store.path + ".nowhere"), code: 5, saying: "no backup")
    expectFailure(try recover(other.path), code: 5, saying: "another store")
    expectFailure(try recover(store.path), code: 2, saying: "itself")
    let unnamed = try HistorywatchProcess.run(["recover", store.path])
    expectFailure(unnamed, code: 2, saying: "a backup")
    #expect(try store.titles() == ["one"])
    #expect(try recover(other.path, "--any-store").code == 0)
    #expect(try store.titles() == [])
  }
}
