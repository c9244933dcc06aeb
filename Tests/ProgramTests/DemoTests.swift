import Glibc
import HistoryTestSupport
import Testing

@Suite("The demo")
struct DemoTests {
  /// The names of what is in a directory.
  private func entries(_ directory: TemporaryDirectory) -> [String] {
    guard let stream = opendir(directory.path) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  @Test("it shows two writers, their live stream and a resumed one, and leaves nothing behind")
  func lines() throws {
    let scratch = try TemporaryDirectory()
    let result = try HistorywatchProcess.run(["demo"], environment: ["TMPDIR": scratch.path])
    #expect(result.code == 0, "\(result.errors)")
    #expect(result.errors == "")
    let json = result.lines.filter { $0.hasPrefix("{") }
    #expect(
      json.map { $0.field("kind") } == [
        "hello", "change", "change", "commit", "change", "commit", "hello", "change", "commit",
        "bye",
      ])
    #expect(
      json.filter { $0.field("kind") == "commit" }.map { $0.field("author") } == [
        "app", "widget", "widget",
      ])
    // The resumed stream shows exactly what the live one showed after the token.
    #expect(json[4...5] == json[7...8])
    let token = try #require(json[3].field("token"))
    #expect(result.output.contains("--since \(token)"))
    #expect(result.lines.suffix(4).contains { $0.contains("historywatch track app.db") })
    #expect(entries(scratch).isEmpty)
  }

  @Test("Ctrl-C on a terminal ends it, and leaves nothing behind")
  func interrupted() throws {
    let scratch = try TemporaryDirectory()
    let terminal = try PseudoTerminal()
    let process = try HistorywatchProcess(
      ["demo"], environment: ["TMPDIR": scratch.path], terminal: terminal)
    try process.shows("\"resume\"")
    terminal.type("\u{03}")
    let result = try process.finish()
    #expect(result.code == 130)
    #expect(entries(scratch).isEmpty)
  }

  @Test("a reader who goes away ends it, and nothing is left behind")
  func closed() throws {
    let scratch = try TemporaryDirectory()
    let process = try HistorywatchProcess(
      ["demo"], environment: ["TMPDIR": scratch.path], output: .closed)
    #expect(try process.finish().code == 141)
    #expect(entries(scratch).isEmpty)
  }
}
