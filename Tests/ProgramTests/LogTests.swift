import HistoryTestSupport
import Testing

@Suite("The log")
struct LogTests {
  private static let colours: [String: String?] = ["TERM": "xterm-256color", "NO_COLOR": nil]

  /// What a terminal shows of a log.
  private func shown(
    _ arguments: [String], pager: String?, less: String? = nil, columns: UInt16 = 80,
    keys: [(after: String, String)] = []
  ) throws -> HistorywatchProcess.Result {
    let terminal = try PseudoTerminal(columns: columns, rows: 24)
    var environment = Self.colours
    environment["PAGER"] = .some(pager)
    environment["LESS"] = .some(less)
    let process = try HistorywatchProcess(
      ["log"] + arguments, environment: environment, terminal: terminal)
    for (awaited, keys) in keys {
      try process.shows(awaited)
      terminal.type(keys)
    }
    return try process.finish()
  }

  /// Writes transactions, by one process.
  private func write(_ count: Int, to store: ProgramStore) throws {
    let transactions = (0..<count).map { number in
      let title = "task \(number), one of a great many like any other"
      return """
        BEGIN IMMEDIATE;
        INSERT INTO history_author(name) VALUES ('app');
        INSERT INTO tasks(title) VALUES ('\(title)'), ('\(title)'), ('\(title)');
        DELETE FROM history_author;
        COMMIT;
        """
    }
    try WriterProcess(path: store.path).run(transactions.joined(separator: "\n"))
  }

  @Test("on a terminal it goes through the pager, colours and all; elsewhere it does not")
  func pager() throws {
    let store = try ProgramStore()
    try store.write("one")
    let paged = try shown([store.path], pager: "sed 's/^/paged: /'")
    #expect(paged.code == 0)
    #expect(paged.output.contains("paged: "))
    #expect(paged.output.contains("\u{1B}[32m+ tasks 1\u{1B}[0m"))
    let unpaged = try shown([store.path, "--no-pager"], pager: "sed 's/^/paged: /'")
    #expect(!unpaged.output.contains("paged"))
    let piped = try HistorywatchProcess.run(
      ["log", store.path], environment: ["PAGER": "sed 's/^/paged: /'"])
    #expect(!piped.output.contains("paged") && !piped.output.contains("\u{1B}"))
  }

  @Test(
    "a pager that is missing or quits early is no error",
    arguments: ["no-such-pager", "no-such-pager --at-all", "true", "head -1", "exit 3", "", "cat"])
  func badPager(pager: String) throws {
    let store = try ProgramStore()
    // More than a pipe holds.
    try write(300, to: store)
    let result = try shown([store.path], pager: pager)
    #expect(result.code == 0)
    let showsAll = pager.hasPrefix("no-such-pager") || pager.isEmpty || pager == "cat"
    #expect(result.output.contains("\"task 0, one") == showsAll)
  }

  @Test("less is the pager of those who have none, and leaves a short log on the screen")
  func less() throws {
    let store = try ProgramStore()
    try store.write("one")
    let result = try shown([store.path], pager: nil)
    #expect(result.code == 0)
    #expect(result.output.contains("+ tasks 1"))
    #expect(result.output.contains("\u{1B}[32m"))
  }

  @Test("who quits less in the middle of a long log ends the log")
  func quit() throws {
    let store = try ProgramStore()
    try write(60, to: store)
    let result = try shown([store.path], pager: nil, keys: [(":\u{1B}[K", "q")])
    #expect(result.code == 0)
    #expect(!result.output.contains("\"task 0, one"))
  }

  @Test("Ctrl-C is for the pager, which goes on getting the log")
  func interrupt() throws {
    let store = try ProgramStore()
    try write(60, to: store)
    let pager = "trap 'exec cat' INT; echo ready; while :; do read line < /dev/tty; done"
    let result = try shown([store.path], pager: pager, keys: [("ready", "\u{03}\n")])
    #expect(result.code == 0)
    #expect(result.output.contains("\"task 0, one"))
  }

  @Test("no line is wider than the terminal", arguments: [60, 80, 120])
  func width(columns: UInt16) throws {
    let store = try ProgramStore()
    let words = String(repeating: "many words ", count: 30)
    try HistorywatchProcess.run([
      "write", store.path, "--author", "app", "--context", words,
      "INSERT INTO tasks(title) VALUES ('\(words)'); UPDATE tasks SET title = title || 'more'",
    ])
    let result = try shown([store.path], pager: "", columns: columns)
    #expect(result.output.contains("many words"))
    #expect(!result.output.contains("hw1."))
    for line in result.output.split(separator: "\r\n") {
      var plain = ""
      var isCode = false
      for letter in line {
        if letter == "\u{1B}" { isCode = true }
        if !isCode { plain.append(letter) }
        if letter == "m" { isCode = false }
      }
      #expect(plain.count <= Int(columns), "\(plain)")
    }
  }

  @Test("it is newest first, and --limit counts transactions")
  func order() throws {
    let store = try ProgramStore()
    for title in ["one", "two", "three"] { try store.write(title) }
    let all = try HistorywatchProcess.run(["log", store.path]).lines.filter { $0.contains("title") }
    #expect(all.map { $0.split(separator: "\"")[1] } == ["three", "two", "one"])
    let json = try HistorywatchProcess.run(["log", store.path, "--json", "--limit", "2"])
    #expect(json.lines.map { $0.field("title") } == ["three", "two"])
    #expect(json.lines.allSatisfy { $0.hasPrefix("{\"kind\":\"transaction\"") })
  }

  @Test("an empty log says so, and is no error")
  func empty() throws {
    let store = try ProgramStore()
    let result = try HistorywatchProcess.run(["log", store.path])
    #expect(result.code == 0)
    #expect(result.output == "")
    #expect(result.errorLines.count == 1)
  }
}
