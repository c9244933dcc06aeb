import HistoryModel
import Testing

@testable import HistoryCommands

@Suite("The nearest word")
struct NearestWordTests {
  @Test(
    "a letter missing, extra, wrong or swapped is one step",
    arguments: [
      ("stream", "stream", 0), ("strem", "stream", 1), ("strream", "stream", 1),
      ("straam", "stream", 1), ("steram", "stream", 1), ("", "log", 3), ("log", "", 3),
      ("check", "track", 3), ("ca", "abc", 3),
    ])
  func distances(word: String, other: String, expected: Int) {
    #expect(NearestWord.editDistance(Array(word), Array(other)) == expected)
    #expect(NearestWord.editDistance(Array(other), Array(word)) == expected)
  }

  @Test("the beginning of a word is enough")
  func beginning() {
    #expect(NearestWord.of("comp", among: ["check", "completions"]) == "completions")
    #expect(NearestWord.of("c", among: ["check", "completions"]) == nil)
  }

  @Test("what looks like nothing is not guessed")
  func far() {
    #expect(NearestWord.of("app.db", among: CommandRegistry.standard.names) == nil)
    #expect(NearestWord.of("", among: ["log"]) == nil)
    #expect(NearestWord.of("ab", among: ["xy"]) == nil)
  }
}
