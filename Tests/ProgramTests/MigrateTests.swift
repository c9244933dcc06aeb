import Glibc
import HistoryTestSupport
import Testing

@Suite("Migrating by the command")
struct MigrateTests {
  @Test("a store is made only when that is asked for")
  func create() throws {
    let directory = try TemporaryDirectory()
    let (path, plan) = (directory.file("app.db"), directory.file("plan"))
    mkdir(plan, 0o700)
    let file = open(plan + "/0001_tasks.sql", O_CREAT | O_WRONLY, 0o600)
    let sql = "CREATE TABLE tasks(id INTEGER PRIMARY KEY);"
    #expect(write(file, sql, sql.utf8.count) == sql.utf8.count)
    close(file)
    let refused = try HistorywatchProcess.run(["migrate", path, "--plan", plan])
    #expect(refused.code == 5)
    #expect(refused.errors.contains("--create"))
    #expect(access(path, F_OK) != 0)
    #expect(try HistorywatchProcess.run(["migrate", path, "--plan", plan, "--create"]).code == 0)
    #expect(try HistorywatchProcess.run(["ready", path, "--schema", "1"]).code == 0)
    #expect(try HistorywatchProcess.run(["track", path]).code == 0)
    #expect(try HistorywatchProcess.run(["migrate", path, "--plan", plan, "--create"]).code == 0)
  }
}
