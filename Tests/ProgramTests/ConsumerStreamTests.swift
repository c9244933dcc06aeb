import Glibc
import HistoryTestSupport
import Testing

@Suite("A stream whose position the store keeps", .timeLimit(.minutes(1)))
struct ConsumerStreamTests {
  private let store: ProgramStore
  private var socket: String { store.path + "-socket" }

  init() throws {
    store = try ProgramStore()
    try store.write("one")
    try HistorywatchProcess.run(["consumer", "create", store.path, "mailer", "--at", "oldest"])
  }

  private func waitUntilKept(_ token: String) throws {
    for _ in 0..<500 {
      let list = try HistorywatchProcess.run(["consumer", "list", store.path]).output
      if list.contains(token) { return }
    }
    Issue.record("the position is not kept")
  }

  @Test(
    "it goes on where what it showed was dropped before its position was kept",
    arguments: [false, true])
  func droppedUnkept(isServed: Bool) throws {
    let server =
      try isServed ? HistorywatchProcess(["serve", store.path, "--socket", socket]) : nil
    defer { server?.signal(SIGTERM) }
    if let server { #expect(try server.errorLine().contains("listening at")) }
    let source = isServed ? ["--socket", socket] : [store.path]
    let stream = try HistorywatchProcess(
      ["stream", "--consumer", "mailer", "--on-expired", "oldest"] + source)
    try waitUntilKept(try #require(try stream.lines(through: "commit").last?.field("token")))
    // The next position is kept after a second; the stream stands still before that.
    let writer = try WriterProcess(path: store.path)
    func write(_ title: String) throws {
      try writer.run(
        "BEGIN IMMEDIATE; INSERT INTO history_author(name) VALUES ('app');"
          + "INSERT INTO tasks(title) VALUES ('\(title)'); DELETE FROM history_author; COMMIT")
    }
    try write("two")
    try stream.lines(through: "commit")
    stream.signal(SIGSTOP)
    let start = ContinuousClock.now
    // Not more than a pipe holds of lines that nobody reads here.
    for _ in 0..<100 { try write("more") }
    // Once the second is over it is kept before anything else is read.
    while start.duration(to: .now) < .seconds(1) { try writer.run("SELECT 1") }
    let head = try store.write("last")
    let trim = ["trim", store.path, "--keep-last", "1", "--force"]
    #expect(try HistorywatchProcess.run(trim).code == 0)
    stream.signal(SIGCONT)
    try waitUntilKept(head)
    stream.signal(SIGTERM)
    let result = try stream.finish()
    #expect(result.code == 143, "\(result.errors)")
    // What the server sent before it was dropped comes all the same.
    #expect(isServed || result.lines.contains { $0.field("reason") == "trimmed" })
  }

  @Test("once another file was moved there, it is kept in that one")
  func moved() throws {
    let stream = try HistorywatchProcess(["stream", store.path, "--consumer", "mailer"])
    try waitUntilKept(try #require(try stream.lines(through: "commit").last?.field("token")))
    let other = try WriterProcess(path: store.path)
    let copy = store.store.directory.file("copy.sqlite")
    try other.run("VACUUM INTO '\(copy)'")
    other.kill()
    for suffix in ["-wal", "-shm"] { unlink(store.path + suffix) }
    try #require(rename(copy, store.path) == 0)
    try store.write("two")
    try waitUntilKept(try #require(try stream.lines(through: "commit").last?.field("token")))
    stream.signal(SIGTERM)
    #expect(try stream.finish().code == 143)
  }
}
