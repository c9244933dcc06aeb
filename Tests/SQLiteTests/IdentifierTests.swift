import HistoryModel
import SQLite
import Testing

@Suite("Identifiers")
struct IdentifierTests {
  @Test(
    "a quoted name means itself", arguments: ["a", "a b", "a\"b", "select", "ä\"\u{301}", "", "'"])
  func quoted(name: String) throws {
    let connection = try Connection.inMemory()
    try connection.execute("CREATE TABLE \(Identifier.quoted("t" + name)) (x)")
    #expect(try connection.row("SELECT name FROM sqlite_master") == [.text("t" + name)])
  }

  @Test("a quote is doubled")
  func spelling() {
    #expect(Identifier.quoted("a\"b") == "\"a\"\"b\"")
    #expect(Identifier.literal("it's") == "'it''s'")
  }

  @Test("a literal is its text", arguments: ["", "it's", "a\0b", "\0", "'\u{301}", "\"", "ö"])
  func literal(text: String) throws {
    let connection = try Connection.inMemory()
    #expect(try connection.row("SELECT \(Identifier.literal(text))") == [.text(text)])
  }

  @Test("names are the same without the case of ASCII letters, and only of those")
  func equal() {
    #expect(Identifier.equal("Tasks", "tASKS"))
    #expect(!Identifier.equal("Ä", "ä"))
    #expect(!Identifier.equal("@", "`"))
    #expect(!Identifier.equal("[", "{"))
    #expect(!Identifier.equal("e\u{301}", "\u{E9}"))
    #expect(!Identifier.equal("a", "ab"))
  }
}
