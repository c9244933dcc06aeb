import HistoryTestSupport
import Testing

@Suite("A store locked by another process")
struct LockTests {
  @Test("who does not follow gives up with exit 1, and so does a writer; nothing is lost")
  func givingUp() throws {
    let store = try ProgramStore(journal: .delete)
    try store.write("one")
    let other = try WriterProcess(path: store.path)
    try other.run("BEGIN EXCLUSIVE; INSERT INTO tasks(title) VALUES ('two')")
    let commands = [
      ["stream", store.path, "--no-follow"], ["status", store.path], ["log", store.path],
      ["write", store.path, "--author", "app", "DELETE FROM tasks"],
    ]
    // They wait at the same time.
    let processes = try commands.map { try HistorywatchProcess($0) }
    for process in processes {
      expectFailure(try process.finish(), code: 1, saying: "is locked by another process")
    }
    try other.run("COMMIT")
    #expect(try store.titles() == ["one", "two"])
  }

  @Test("a stream that follows waits, says so, and begins when the lock is gone")
  func waiting() throws {
    let store = try ProgramStore(journal: .delete)
    let other = try WriterProcess(path: store.path)
    try other.run("BEGIN EXCLUSIVE; INSERT INTO tasks(title) VALUES ('one')")
    let stream = try HistorywatchProcess(["stream", store.path, "--since", "oldest"])
    #expect(try stream.errorLine().contains("is locked by another process; waiting"))
    try other.run("COMMIT")
    let lines = try stream.lines(through: "commit")
    #expect(lines.compactMap { $0.field("title") } == ["one"])
  }

  @Test(
    "a writer who does not wait for locks gets through when he writes on what a stream shows",
    arguments: [.delete, .truncate, .persist] as [TemporaryStore.Journal])
  func writerGoesFirst(journal: TemporaryStore.Journal) throws {
    let store = try ProgramStore(journal: journal, isVolatile: true)
    let writer = try WriterProcess(path: store.path, busyTimeout: 0)
    try writer.run("PRAGMA journal_mode = \(journal.rawValue)")
    var met = 0
    // A commit that the processor is taken from for longer than a stream gives way can meet a read.
    // A stream that reads on after it has shown something is met in one of four.
    func write(_ sql: String) throws {
      do {
        try writer.run(sql)
      } catch let failure as WriterProcess.Failure where "\(failure)".contains("SQLITE_BUSY") {
        met += 1
        try writer.run("PRAGMA busy_timeout = 20000; \(sql); PRAGMA busy_timeout = 0")
      }
    }
    for _ in 1...5 {
      let stream = try HistorywatchProcess(["stream", store.path])
      try stream.lines(through: "hello")
      for _ in 1...3 {
        try write("INSERT INTO tasks(title) VALUES ('x')")
        try stream.lines(through: "commit")
        try write("BEGIN EXCLUSIVE; DELETE FROM tasks; COMMIT")
        try stream.lines(through: "commit")
      }
    }
    #expect(met <= 2, "of 30")
  }

  @Test("a stream waits for what a crashed writer left to be undone, which it may not do itself")
  func crashedWriter() throws {
    let store = try ProgramStore(journal: .delete)
    try store.write("one")
    let stream = try HistorywatchProcess(["stream", store.path, "--since", "oldest"])
    try stream.lines(through: "commit")
    let other = try WriterProcess(path: store.path)
    // So small a cache has to write to the file before the commit.
    try other.run("PRAGMA cache_size = 1; BEGIN")
    for _ in 1...20 { try other.run("INSERT INTO tasks(title) VALUES (hex(randomblob(9000)))") }
    other.kill()
    #expect(try stream.errorLine().contains("crashed"))
    expectFailure(try store.stream(), code: 1, saying: "must be undone first")
    try store.write("two")
    #expect(try stream.lines(through: "commit").compactMap { $0.field("title") } == ["two"])
  }

  @Test("a stream that was following goes on after somebody had the store for himself")
  func interlude() throws {
    let store = try ProgramStore(journal: .delete)
    let stream = try HistorywatchProcess(["stream", store.path])
    try stream.lines(through: "hello")
    let other = try WriterProcess(path: store.path)
    try other.run("BEGIN EXCLUSIVE; INSERT INTO tasks(title) VALUES ('one')")
    try other.run("COMMIT")
    #expect(try stream.lines(through: "commit").compactMap { $0.field("title") } == ["one"])
  }
}
