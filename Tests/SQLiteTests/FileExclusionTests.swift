import Glibc
import HistoryTestSupport
import SQLite
import Testing

@Suite("Keeping everybody out of a file")
struct FileExclusionTests {
  @Test("nobody reads or writes meanwhile, and everybody can afterwards")
  func excludes() throws {
    for journal in TemporaryStore.Journal.allCases {
      let store = try TemporaryStore(sql: "CREATE TABLE t(x)", journal: journal)
      let other = try WriterProcess(path: store.path, busyTimeout: 0)
      do {
        let exclusion = try FileExclusion(path: store.path)
        #expect(throws: WriterProcess.Failure.self) { try other.run("SELECT * FROM t") }
        withExtendedLifetime(exclusion) {}
      }
      try other.run("INSERT INTO t VALUES (1)")
    }
  }

  @Test("with a log it is not had while anybody has the database open, reading or not")
  func log() throws {
    let store = try TemporaryStore(sql: "CREATE TABLE t(x)")
    let other = try WriterProcess(path: store.path)
    try other.run("SELECT * FROM t")
    #expect(throws: FileExclusion.Refusal.taken) { try FileExclusion(path: store.path) }
    // What was tried in vain stays in nobody's way.
    try other.run("INSERT INTO t VALUES (1)")
    other.kill()
    let own = try store.connection()
    _ = try own.rows("SELECT * FROM t")
    #expect(throws: FileExclusion.Refusal.taken) { try FileExclusion(path: store.path) }
    try own.close()
    _ = try FileExclusion(path: store.path)
  }

  @Test("with a rollback journal it is not had while anybody reads or writes")
  func journal() throws {
    let store = try TemporaryStore(
      sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1)", journal: .delete)
    let other = try WriterProcess(path: store.path)
    for sql in ["BEGIN; SELECT * FROM t", "BEGIN IMMEDIATE"] {
      try other.run(sql)
      #expect(throws: FileExclusion.Refusal.taken) { try FileExclusion(path: store.path) }
      try other.run("COMMIT")
    }
    _ = try FileExclusion(path: store.path)
  }

  @Test("a file that is no database can be locked, and what is not there or a directory cannot")
  func others() throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("text")
    let descriptor = creat(file, 0o600)
    try #require(descriptor >= 0)
    try #require(write(descriptor, "text", 4) == 4)
    close(descriptor)
    _ = try FileExclusion(path: file)
    for path in [directory.file("nowhere"), directory.path] {
      #expect(throws: FileExclusion.Refusal.impossible) { try FileExclusion(path: path) }
    }
  }
}
