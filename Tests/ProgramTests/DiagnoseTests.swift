import HistoryTestSupport
import Testing

@Suite("Diagnosing with the program", .timeLimit(.minutes(1)))
struct DiagnoseTests {
  @Test("the file is written whatever is in it: exit 0, and nothing on standard output")
  func file() throws {
    let store = try ProgramStore()
    try store.write("buy milk")
    for path in [store.path, store.path + ".nowhere"] {
      let output = store.store.directory.file("diagnosis.json")
      let result = try HistorywatchProcess.run(["diagnose", path, "--output", output])
      #expect(result.code == 0 && result.output == "")
      #expect(result.errorLines == ["wrote \(output)"])
      let shown = try HistorywatchProcess.run(["diagnose", path, "--output", "-"])
      #expect(shown.code == 0 && shown.errors == "")
      #expect(shown.lines.count == 1)
      #expect(!shown.output.contains("buy milk"))
      #expect(
        shown.output.contains("\"unavailable\":null") == (path == store.path), "\(shown.output)")
    }
  }

  @Test("without a place to write to, or over the store, it is exit 2")
  func usage() throws {
    let store = try ProgramStore()
    expectFailure(
      try HistorywatchProcess.run(["diagnose", store.path]), code: 2, saying: "where to")
    let result = try HistorywatchProcess.run(["diagnose", store.path, "--output", store.path])
    expectFailure(result, code: 2, saying: "a file of the store")
    #expect(try store.titles() == [])
  }
}
