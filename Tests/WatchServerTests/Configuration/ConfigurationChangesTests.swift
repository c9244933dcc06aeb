import HistoryModel
import Testing

@testable import WatchServer

@Suite("What is different in a configuration")
struct ConfigurationChangesTests {
  private func changes(_ old: String, _ new: String) throws -> ConfigurationChanges {
    let parsed = { (text: String) in
      try ServerConfiguration(parsing: Array(text.utf8), path: "f", given: ["app.db"])
    }
    return try ConfigurationChanges(from: parsed(old), to: parsed(new))
  }

  @Test("what only looks different changes nothing")
  func nothing() throws {
    let old = #"{"reloads":[{"timeline":"A","tables":["t","u"]},{"timeline":"B"}]}"#
    let new = """
      {"reloads": [{"timeline": "B", "onBusy": "queue", "subscribers": true},
       {"tables": ["U", "T"], "database": "./app.db", "debounce": "250ms", "timeline": "A"}]}
      """
    let found = try changes(old, new)
    #expect(found.isEmpty)
    #expect(found.unchanged.map(\.timeline) == ["B", "A"])
  }

  @Test("kinds come, go, change and stay")
  func kinds() throws {
    let old = """
      {"reloads":[{"timeline":"A"},{"timeline":"B"},{"timeline":"C","command":["x"]},
      {"timeline":"D"}]}
      """
    let new = """
      {"reloads":[{"timeline":"E"},{"timeline":"D"},{"timeline":"C","command":["y"]},
      {"timeline":"B","tables":["t"]}]}
      """
    let found = try changes(old, new)
    #expect(found.added.map(\.timeline) == ["E"])
    #expect(found.removed.map(\.timeline) == ["A"])
    #expect(found.unchanged.map(\.timeline) == ["D"])
    #expect(found.changed.map(\.new.timeline) == ["C", "B"])
    #expect(found.changed.first?.old.command == ["x"])
    #expect(found.changed.first?.new.command == ["y"])
    #expect(!found.changesRetention)
  }

  @Test("databases come and go with their kinds")
  func databases() throws {
    let old = """
      {"databases":["b.db","c.db"],"reloads":[{"timeline":"W","database":"b.db"},
      {"timeline":"W","database":"app.db"}]}
      """
    let new = """
      {"databases":["d.db","c.db"],"reloads":[{"timeline":"W","database":"d.db"},
      {"timeline":"W","database":"app.db"}]}
      """
    let found = try changes(old, new)
    #expect(found.addedDatabases == ["d.db"])
    #expect(found.removedDatabases == ["b.db"])
    #expect(found.added.map(\.database) == ["d.db"])
    #expect(found.removed.map(\.database) == ["b.db"])
    #expect(found.unchanged.map(\.database) == ["app.db"])
  }

  @Test(
    "every property of a kind counts",
    arguments: [
      #""tables":["t"]"#, #""operations":["insert"]"#, #""authors":["a"]"#, #""notAuthors":["a"]"#,
      #""ignoreAuthor":"a""#, #""columns":["c"]"#, #""debounce":"1ms""#, #""maxWait":"1ms""#,
      #""minInterval":"1s""#, #""budget":"1/day""#, #""onBusy":"restart""#,
      #""command":["x"],"subscribers":true"#,
    ])
  func properties(member: String) throws {
    let found = try changes(
      #"{"reloads":[{"timeline":"W"}]}"#, #"{"reloads":[{"timeline":"W",\#(member)}]}"#)
    #expect(found.changed.count == 1)
    #expect(found.unchanged.isEmpty)
  }

  @Test("retention is told apart", arguments: [#"{"keep":"1d"}"#, #"{"keepSize":"1GB"}"#])
  func retention(text: String) throws {
    #expect(try changes("{}", text).changesRetention)
    #expect(try changes(text, "{}").changesRetention)
    #expect(try changes(text, text).isEmpty)
  }

  @Test("a person is told what is different")
  func sentence() throws {
    let old = #"{"reloads":[{"timeline":"A"},{"timeline":"B"}]}"#
    let new = #"{"keep":"1d","reloads":[{"timeline":"B","tables":["t"]},{"timeline":"C"}]}"#
    #expect(
      try changes(old, new).sentence
        == "the configuration was read again: 1 timelines more, 1 timelines fewer, "
        + "1 timelines otherwise, other limits")
    #expect(try changes(old, old).sentence.hasSuffix("nothing is different"))
  }
}
