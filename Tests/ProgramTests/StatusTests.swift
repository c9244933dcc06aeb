import Glibc
import HistoryTestSupport
import SQLite
import Testing

@Suite("What status says of a store", .timeLimit(.minutes(1)))
struct StatusTests {
  private func migrate(_ store: ProgramStore) throws {
    let plan = store.store.directory.file("plan")
    try #require(mkdir(plan, 0o700) == 0)
    let file = plan + "/0001_due.sql"
    let descriptor = creat(file, 0o600)
    let sql = "ALTER TABLE tasks ADD COLUMN due TEXT;"
    try #require(write(descriptor, sql, sql.utf8.count) == sql.utf8.count)
    close(descriptor)
    let result = try HistorywatchProcess.run(["migrate", store.path, "--plan", plan])
    try #require(result.code == 0, "\(result.errors)")
  }

  private func json(_ store: ProgramStore) throws -> String {
    let result = try HistorywatchProcess.run(["status", store.path, "--json"])
    #expect(result.code == 0 && result.lines.count == 1)
    return result.lines.first ?? ""
  }

  private func text(_ store: ProgramStore) throws -> [String] {
    try HistorywatchProcess.run(["status", store.path]).lines
  }

  @Test("the members of the contract come first and in its order, then the file")
  func order() throws {
    let store = try ProgramStore()
    let line = try json(store)
    var rest = line[...]
    for name in [
      "store", "epoch", "head", "oldest", "tables", "consumers", "size", "ready", "file",
    ] {
      let place = try #require(rest.firstRange(of: "\"\(name)\":"), "\(name) in \(line)")
      rest = rest[place.upperBound...]
    }
    #expect(line.contains("\"ready\":null,"))
  }

  @Test("which file it is, by whatever name it was asked for")
  func file() throws {
    let store = try ProgramStore(journal: .delete)
    let link = store.store.directory.file("link.db")
    try #require(symlink(store.path, link) == 0)
    let file = try #require(DatabaseFile(path: store.path))
    let shown = try HistorywatchProcess.run(["status", link]).output
    #expect(shown.contains("file     \(store.path)\n"))
    #expect(shown.contains("device \(file.device), inode \(file.inode), "))
    #expect(shown.contains("journal mode delete\n"))
    let line = try json(store)
    #expect(
      line.hasSuffix(
        "\"inode\":\(file.inode),\"size\":\(file.size),\"logSize\":null,\"journalMode\":\"delete\"}}"
      ), "\(line)")
  }

  @Test("for which schema it is ready, or why it is not")
  func ready() throws {
    let store = try ProgramStore()
    #expect(try text(store).contains("ready    not marked"))
    try migrate(store)
    #expect(try text(store).contains("ready    schema 1"))
    #expect(try json(store).contains("\"ready\":1,"))
    try store.store.connection().execute("ALTER TABLE tasks ADD COLUMN stray")
    #expect(try json(store).contains("\"ready\":{\"reason\":\"changed-schema\"},"))
    #expect(try text(store).contains { $0.hasPrefix("ready    no: the tables of ") })
  }
}
