import Glibc
import HistoryTestSupport
import SQLite
import Testing

/// Snapshots that do not come to their end: nobody may take what there is of them for all.
@Suite("A snapshot that is cut off", .timeLimit(.minutes(1)))
struct CutSnapshotTests {
  private let store: ProgramStore
  private var cursor: String { store.path + "-cursor" }

  init() throws {
    store = try ProgramStore(isTracked: false)
    try store.store.connection().execute(
      "INSERT INTO tasks(title) WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)"
        + " SELECT hex(zeroblob(100)) FROM n")
    #expect(try HistorywatchProcess.run(["track", store.path]).code == 0)
  }

  private func kinds(_ lines: [String]) -> [String] {
    var kinds: [String] = []
    for kind in lines.compactMap({ $0.field("kind") }) where kind != kinds.last {
      kinds.append(kind)
    }
    return kinds
  }

  @Test("a signal in its middle keeps no position")
  func signal() throws {
    let output = store.path + "-output"
    var stream: HistorywatchProcess
    // One that was through before it could be told is none to learn from.
    repeat {
      try write("", to: output)
      unlink(cursor)
      stream = try HistorywatchProcess(
        ["stream", store.path, "--snapshot", "initial", "--cursor-file", cursor],
        output: .file(output))
      while try content(of: output).isEmpty { sched_yield() }
      stream.signal(SIGSTOP)
    } while try content(of: output).contains("snapshot-end")
    stream.signal(SIGTERM)
    stream.signal(SIGCONT)
    #expect(try stream.finish().code == 143)
    let lines = try content(of: output).split(separator: "\n").map(String.init)
    #expect(kinds(lines) == ["hello", "snapshot-begin", "row", "bye"])
    #expect(lines.last == #"{"kind":"bye","reason":"signal"}"#)
    #expect(access(cursor, F_OK) != 0)
  }

  @Test("through a server, one that dies in its middle keeps no position")
  func killed() throws {
    let socket = store.path + "-socket"
    let server = try HistorywatchProcess(["serve", store.path, "--socket", socket])
    #expect(try server.errorLine().contains("listening at"))
    defer { server.signal(SIGTERM) }
    let stream = try HistorywatchProcess(
      ["stream", "--socket", socket, "--snapshot", "initial", "--cursor-file", cursor])
    // What comes next was written once the first page was, whose position would be kept by then.
    for _ in 0..<2000 { _ = try stream.line() }
    #expect(access(cursor, F_OK) != 0)
    stream.signal(SIGKILL)
    #expect(try !kinds(stream.finish().lines).contains("snapshot-end"))
    #expect(access(cursor, F_OK) != 0)
  }

  @Test(
    "one whose rows cannot be kept for a slow reader says so, and says goodbye behind what he has")
  func noRoom() throws {
    let stream = try HistorywatchProcess(
      ["stream", store.path, "--snapshot", "only"], environment: ["TMPDIR": "/nonexistent"])
    stream.readsOutput = false
    #expect(try stream.errorLine().contains("cannot be kept"))
    stream.readsOutput = true
    let result = try stream.finish()
    #expect(result.code == 1)
    #expect(kinds(result.lines) == ["hello", "snapshot-begin", "row", "bye"])
    #expect(result.lines.last?.field("reason") == "error")
    let rows = result.lines.filter { $0.field("kind") == "row" }
    for (place, row) in rows.enumerated() { #expect(row.contains(#""id":\#(place + 1),"#)) }
  }
}
