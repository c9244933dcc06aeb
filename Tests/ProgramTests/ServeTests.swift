import HistoryTestSupport
import Testing

/// What somebody sees who starts a server for the first time.
@Suite("The first run of serve", .timeLimit(.minutes(1)))
struct ServeTests {
  @Test("a database that is not tracked is waited for, with a word on what to do")
  func untracked() throws {
    let store = try ProgramStore(isTracked: false)
    let server = try HistorywatchProcess([
      "serve", store.path, "--socket", store.path + "-socket",
    ])
    let waiting = try server.errorLine()
    #expect(waiting.hasPrefix("historywatch: waiting for \(store.path)"))
    #expect(waiting.contains("historywatch track \(store.path)"))
    #expect(try server.errorLine().contains("listening at"))
    #expect(try HistorywatchProcess.run(["track", store.path]).code == 0)
    #expect(try server.errorLine().hasSuffix("is there"))
    server.signal(15)
    #expect(try server.finish().code == 0)
  }

  @Test("off loopback it does not start without a token, and says which option gives one")
  func token() throws {
    let store = try ProgramStore()
    let result = try HistorywatchProcess.run(["serve", store.path, "--http", "0.0.0.0:0"])
    #expect(result.code == 2)
    #expect(result.errors.contains("--http-token-file"))
  }
}
