import HistoryTestSupport
import Testing

/// A temporary database with a table `tasks`, tracked by the real program.
struct ProgramStore {
  let store: TemporaryStore
  var path: String { store.path }

  init(journal: TemporaryStore.Journal = .wal, isTracked: Bool = true, isVolatile: Bool = false)
    throws
  {
    store = try TemporaryStore(
      sql: "CREATE TABLE tasks(id INTEGER PRIMARY KEY, title TEXT, done INTEGER DEFAULT 0)",
      journal: journal, isVolatile: isVolatile)
    if isTracked { #expect(try HistorywatchProcess.run(["track", path]).code == 0) }
  }

  /// Writes a task under a name, and returns the position after it.
  @discardableResult
  func write(_ title: String, author: String = "app") throws -> String {
    let result = try HistorywatchProcess.run(
      ["write", path, "--author", author, "INSERT INTO tasks(title) VALUES ('\(title)')"])
    #expect(result.code == 0, "\(result.errors)")
    return result.lines.first ?? ""
  }

  /// All that a stream shows from a position to the head.
  func stream(since position: String = "oldest", _ more: String...) throws
    -> HistorywatchProcess.Result
  {
    try HistorywatchProcess.run(["stream", path, "--no-follow", "--since", position] + more)
  }

  /// The titles of the tasks that a stream shows being inserted.
  func titles(since position: String = "oldest") throws -> [String] {
    try stream(since: position).lines.compactMap { $0.field("title") }
  }
}

extension String {
  /// The text of a field of a JSON line that has no escapes in it.
  func field(_ name: String) -> String? {
    let mark = "\"\(name)\":\""
    guard let start = firstRange(of: mark)?.upperBound else { return nil }
    return String(self[start...].prefix { $0 != "\"" })
  }

  private func firstRange(of text: String) -> Range<String.Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) {
        return start..<index(start, offsetBy: text.count)
      }
      start = index(after: start)
    }
    return nil
  }
}

/// Expects that a command failed as the contract says: a code, nothing but data on standard output,
/// and two lines at most that say what failed and what to do.
func expectFailure(
  _ result: HistorywatchProcess.Result, code: Int32, saying words: String = "",
  location: SourceLocation = #_sourceLocation
) {
  #expect(result.code == code, "\(result.errors)", sourceLocation: location)
  let lines = result.errorLines
  #expect((1...2).contains(lines.count), "\(result.errors)", sourceLocation: location)
  #expect(lines.first?.hasPrefix("historywatch: ") == true, "\(lines)", sourceLocation: location)
  #expect(lines.first?.contains(words) == true, "\(lines)", sourceLocation: location)
  if lines.count == 2 {
    #expect(lines[1].hasPrefix("hint: "), "\(lines)", sourceLocation: location)
  }
}
