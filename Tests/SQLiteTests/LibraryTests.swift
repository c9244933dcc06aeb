import SQLite
import Testing

@Suite("Library")
struct LibraryTests {
  @Test("the library tells its version and options")
  func library() {
    #expect(SQLiteLibrary.version.hasPrefix("3."))
    #expect(SQLiteLibrary.versionNumber >= 3_040_000)
    #expect(SQLiteLibrary.sourceID.hasPrefix("20"))
    #expect(!SQLiteLibrary.compileOptionUsed("NO_SUCH_OPTION"))
  }
}
