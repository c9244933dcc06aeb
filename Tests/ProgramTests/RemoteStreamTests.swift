import HistoryTestSupport
import Testing

@Suite("A stream through a server", .timeLimit(.minutes(1)))
struct RemoteStreamTests {
  private let store: ProgramStore
  private var socket: String { store.path + "-socket" }

  init() throws {
    store = try ProgramStore()
    for title in ["one", "two", "three"] { try store.write(title) }
  }

  /// A server that listens.
  private func serving() throws -> HistorywatchProcess {
    let server = try HistorywatchProcess(["serve", store.path, "--socket", socket])
    #expect(try server.errorLine().contains("listening at"))
    return server
  }

  @Test(
    "it prints what the stream itself prints, and ends as it ends",
    arguments: [
      ["--since", "oldest", "--no-follow"],
      ["--since", "oldest", "--no-follow", "--group", "transaction"],
      ["--since", "oldest", "--limit", "2"],
      ["--since", "oldest", "--timeout", "50ms"],
      ["--since", "oldest", "--no-follow", "--table", "TASKS"],
      ["--since", "oldest", "--no-follow", "--author", ""],
      ["--since", "oldest", "--no-follow", "--op", "delete"],
      ["--snapshot", "only"],
      ["--snapshot", "initial", "--no-follow"],
      ["--no-follow"],
      ["--since", "hw1.x"],
      ["--consumer", "nobody"],
    ])
  func sameOutput(options: [String]) throws {
    let server = try serving()
    defer { server.signal(15) }
    let direct = try HistorywatchProcess.run(["stream", store.path] + options)
    for database in [[], [store.path]] {
      let remote = try HistorywatchProcess.run(
        ["stream", "--socket", socket] + database + options)
      #expect(remote.lines == direct.lines)
      #expect(remote.errors == direct.errors)
      #expect(remote.code == direct.code)
    }
  }

  @Test("an expired position ends it with exit 3, and --on-expired goes on")
  func expired() throws {
    let server = try serving()
    defer { server.signal(15) }
    let old = try store.stream(since: "oldest", "--limit", "1").lines.last?.field("token") ?? ""
    #expect(try HistorywatchProcess.run(["trim", store.path, "--keep-last", "1"]).code == 0)
    for more in [[], ["--on-expired", "oldest"], ["--on-expired", "snapshot"]] {
      let options = ["--since", old, "--no-follow"] + more
      let direct = try HistorywatchProcess.run(["stream", store.path] + options)
      let remote = try HistorywatchProcess.run(["stream", "--socket", socket] + options)
      #expect(direct.code == (more.isEmpty ? 3 : 0))
      #expect(remote.code == direct.code)
      #expect(remote.lines == direct.lines)
      #expect(remote.errors == direct.errors)
    }
  }

  @Test("a server that is not there is exit 1, with what to do")
  func absent() throws {
    let result = try HistorywatchProcess.run(["stream", "--socket", socket])
    expectFailure(result, code: 1, saying: "no server listens at")
    #expect(result.errorLines.count == 2)
  }

  @Test("a database in the place of the socket is told to be one")
  func database() throws {
    let result = try HistorywatchProcess.run(["stream", "--socket", store.path])
    expectFailure(result, code: 5, saying: "is a file, and no socket")
    #expect(result.errorLines.last?.contains("historywatch serve") == true)
  }

  @Test("a database that is not served is told with those that are")
  func notServed() throws {
    let server = try serving()
    defer { server.signal(15) }
    let result = try HistorywatchProcess.run(["stream", "--socket", socket, "other.db"])
    expectFailure(result, code: 5, saying: "\"other.db\" is not served here")
    #expect(result.errorLines.last == "hint: served are: \(store.path)")
  }

  @Test("a server that is killed and comes back leaves no trace in the output", arguments: [9, 15])
  func restarted(signal: Int32) throws {
    let server = try serving()
    let stream = try HistorywatchProcess(["stream", "--socket", socket, "--since", "oldest"])
    for _ in 0..<3 { try stream.lines(through: "commit") }
    server.signal(signal)
    _ = try server.finish()
    #expect(try stream.errorLine().contains("went away; waiting for it to come back"))
    try store.write("four")
    let next = try serving()
    defer { next.signal(15) }
    try stream.lines(through: "commit")
    try store.write("five")
    try stream.lines(through: "commit")
    stream.signal(2)
    let result = try stream.finish()
    #expect(result.code == 130)
    #expect(result.errorLines.count == 1)
    let direct = try store.stream(since: "oldest")
    // The head that the hello names was another one then.
    #expect(result.lines.dropFirst().dropLast() == direct.lines.dropFirst().dropLast())
    #expect(result.lines.filter { $0.field("kind") == "hello" }.count == 1)
    #expect(result.lines.last?.field("reason") == "signal")
    #expect(result.lines.last?.field("token") == direct.lines.last?.field("token"))
  }

  @Test("a cursor file and a consumer are kept as without a server")
  func positions() throws {
    let server = try serving()
    defer { server.signal(15) }
    #expect(
      try HistorywatchProcess.run(["consumer", "create", store.path, "mailer", "--at", "oldest"])
        .code
        == 0)
    let cursor = store.path + "-cursor"
    for options in [["--cursor-file", cursor, "--since", "oldest"], ["--consumer", "mailer"]] {
      let command = ["stream", "--socket", socket] + options
      let first = try HistorywatchProcess.run(command + ["--limit", "2"])
      #expect(first.lines.compactMap { $0.field("title") } == ["one", "two"])
      let second = try HistorywatchProcess.run(command + ["--no-follow"])
      #expect(second.lines.first?.field("resume") == "continue")
      #expect(second.lines.compactMap { $0.field("title") } == ["three"])
    }
  }

  @Test("a consumer that follows is acknowledged while it does")
  func acknowledged() throws {
    let server = try serving()
    defer { server.signal(15) }
    try HistorywatchProcess.run(["consumer", "create", store.path, "mailer", "--at", "oldest"])
    let stream = try HistorywatchProcess(["stream", "--socket", socket, "--consumer", "mailer"])
    for _ in 0..<3 { try stream.lines(through: "commit") }
    let head = try #require(try store.stream(since: "now").lines.last?.field("token"))
    var list = ""
    while !list.contains(head) {
      list = try HistorywatchProcess.run(["consumer", "list", store.path]).lines.joined()
    }
    stream.signal(15)
    #expect(try stream.finish().code == 143)
  }
}
