import HistoryTestSupport
import Testing

@Suite("Exit codes")
struct ExitCodeTests {
  /// A command line, in which `DB` stands for a store with two transactions, `TOKEN` for the
  /// position between them, `EXPIRED` for one that was trimmed and `FOREIGN` for another store's.
  static let table: [(code: Int32, line: String)] = [
    (0, "stream DB --no-follow"),
    (0, "DB --no-follow --since TOKEN"),
    (0, "stream DB --since oldest --limit 1"),
    (0, "stream DB --since oldest --until TOKEN"),
    (0, "stream DB --snapshot only"),
    (0, "log DB"),
    (0, "status DB --json"),
    (0, "consumer create DB reader"),
    (0, "consumer list DB"),
    (0, "track DB"),
    (0, "help"),
    (1, "write DB --author app SELEKT"),
    (1, "stream DB --no-follow --cursor-file /nonexistent/cursor"),
    (2, "stream DB --no-such-option"),
    (2, "track DB no_such_table"),
    (2, "write DB SELECT"),
    (2, "untrack DB no_such_table"),
    (3, "stream DB --no-follow --since EXPIRED"),
    (4, "stream DB --no-follow --since FOREIGN"),
    (4, "stream DB --no-follow --since hw1.damaged"),
    (4, "stream DB --no-follow --until FOREIGN"),
    (4, "trim DB --through FOREIGN"),
    (5, "stream /nonexistent.sqlite"),
    (5, "stream DB --no-follow --consumer nobody"),
    (5, "consumer acknowledge DB nobody TOKEN"),
    (5, "consumer remove DB nobody"),
    (124, "stream DB --timeout 50ms"),
  ]

  @Test("each situation has the code of the contract", arguments: table)
  func code(code: Int32, line: String) throws {
    let store = try ProgramStore()
    let expired = try store.write("trimmed")
    let token = try store.write("one")
    try store.write("two")
    #expect(try HistorywatchProcess.run(["trim", store.path, "--keep-last", "1"]).code == 0)
    let foreign = line.contains("FOREIGN") ? try ProgramStore().write("elsewhere") : ""
    let words = ["DB": store.path, "TOKEN": token, "EXPIRED": expired, "FOREIGN": foreign]
    let arguments = line.split(separator: " ").map { words[String($0)] ?? String($0) }
    let result = try HistorywatchProcess.run(arguments)
    #expect(result.code == code, "\(result.errors)")
    #expect(result.errorLines.count <= (code == 0 ? .max : 2))
    if code != 0 && code != 124 { expectFailure(result, code: code) }
  }

  @Test("a stream says how it ended")
  func bye() throws {
    let store = try ProgramStore()
    let token = try store.write("one")
    try store.write("two")
    let ends: [(options: [String], reason: String, titles: [String])] = [
      (["--limit", "1"], "limit", ["one"]), (["--until", token], "end", ["one"]),
      (["--no-follow"], "end", ["one", "two"]),
      (["--timeout", "50ms"], "timeout", ["one", "two"]),
    ]
    for end in ends {
      let result = try HistorywatchProcess.run(
        ["stream", store.path, "--since", "oldest"] + end.options)
      #expect(result.lines.last?.field("kind") == "bye")
      #expect(result.lines.last?.field("reason") == end.reason)
      #expect(result.lines.compactMap { $0.field("title") } == end.titles)
    }
  }
}
