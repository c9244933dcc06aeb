import EventLoop
import HistoryModel
import HistoryTestSupport
import Testing
import TimelineReload
import WatchServer

@Suite("The configuration file")
struct ConfigurationTests {
  private func parsed(
    _ text: String, path: String = "serve.json", given: [String] = []
  ) throws -> ServerConfiguration {
    try ServerConfiguration(parsing: Array(text.utf8), path: path, given: given)
  }

  @Test("everything that it can say is understood")
  func everything() throws {
    let configuration = try parsed(
      """
      {"databases": ["app.db"], "keep": "7d", "keepSize": "256MB",
       "reloads": [{"timeline": "TasksWidget", "database": "app.db", "tables": ["Tasks"],
         "operations": ["insert", "delete"], "authors": ["app", ""], "notAuthors": ["importer"],
         "ignoreAuthor": "widget", "columns": ["Done"], "debounce": "100ms", "maxWait": "1s",
         "minInterval": "1m", "budget": "40/day", "onBusy": "restart",
         "command": ["/usr/bin/reload-widget", "--now", ""], "subscribers": true}]}
      """)
    #expect(configuration.databases == ["app.db"])
    #expect(configuration.keep == .seconds(7 * 86_400))
    #expect(configuration.keepSize == 256 << 20)
    let reload = try #require(configuration.reloads.first)
    let policy = ReloadPolicy(
      debounce: .milliseconds(100), maximumWait: .seconds(1), minimumInterval: .seconds(60),
      budget: .perDay(40), onBusy: .restart)
    #expect(
      reload.kind
        == TimelineKind(
          "TasksWidget", tables: ["tasks"], operations: [.insert, .delete], authors: ["app", nil],
          ignoringAuthors: ["importer", "widget"], changedColumns: ["done"], policy: policy))
    #expect(reload.ignoredAuthor == "widget")
    #expect(reload.command == ["/usr/bin/reload-widget", "--now", ""])
    #expect(reload.tellsSubscribers)
    #expect(configuration.reloads(of: "app.db") == [reload])
    #expect(configuration.reloads(of: "other.db").isEmpty)
  }

  @Test("what is left out is as everywhere else")
  func defaults() throws {
    #expect(try parsed("{}").databases.isEmpty)
    let reload = try #require(
      try parsed(#"{"reloads":[{"timeline":"W"}]}"#, given: ["app.db"]).reloads.first)
    #expect(reload.database == "app.db")
    #expect(reload.kind == TimelineKind("W"))
    #expect(reload.command == nil)
    // A kind without a command would else do nothing.
    #expect(reload.tellsSubscribers)
    let command = try parsed(
      #"{"reloads":[{"timeline":"W","command":["true"]}]}"#, given: ["app.db"])
    #expect(command.reloads.first?.tellsSubscribers == false)
  }

  @Test("paths are relative to the file; those of the command line come first, and once")
  func paths() throws {
    let text = """
      {"databases": ["app.db", "./sub//b.db", "/abs/c.db", "../d.db"],
       "reloads": [{"timeline": "A", "database": "app.db"},
                   {"timeline": "A", "database": "first.db"},
                   {"timeline": "A", "database": "sub/b.db"}]}
      """
    let configuration = try parsed(
      text, path: "etc/./serve.json", given: ["first.db", "./etc/app.db"])
    #expect(
      configuration.databases
        == ["first.db", "./etc/app.db", "etc/sub/b.db", "/abs/c.db", "etc/../d.db"])
    #expect(
      configuration.reloads.map(\.database) == ["./etc/app.db", "first.db", "etc/sub/b.db"])
    #expect(try parsed(text, path: "/serve.json", given: ["first.db"]).databases[1] == "/app.db")
  }

  @Test("one timeline may be in several databases")
  func sameNameElsewhere() throws {
    let text = """
      {"databases": ["a.db", "b.db"], "reloads": [{"timeline": "W", "database": "a.db"},
      {"timeline": "W", "database": "b.db"}]}
      """
    #expect(try parsed(text).reloads.count == 2)
  }

  @Test("a file is read; one that is missing, a directory or too long is refused")
  func file() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("serve.json")
    try DurableFile(path: directory.file("serve.json")).replace(
      with: Array((#"{"databases":["app.db"]}"#).utf8))
    #expect(
      try ServerConfiguration(contentsOf: path).databases == [directory.file("app.db")])
    let refused = { (path: String) -> String in
      do {
        _ = try ServerConfiguration(contentsOf: path)
        return "accepted"
      } catch {
        return (error as? HistoryError).map { "\($0.code) \($0.message)" } ?? "\(error)"
      }
    }
    let missing = directory.file("none.json")
    #expect(refused(missing) == "usage there is no configuration file \(missing)")
    #expect(refused(directory.path).contains("cannot be read"))
    let long = "{" + String(repeating: " ", count: ServerConfiguration.sizeLimit) + "}"
    try DurableFile(path: directory.file("long.json")).replace(with: Array((long).utf8))
    #expect(refused(directory.file("long.json")).contains("longer than is accepted"))
  }
}
