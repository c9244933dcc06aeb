import HistoryTestSupport
import Testing

@Suite("Relaying, and following a relay")
struct RelayTests {
  @Test(
    "what is no address is refused, and no password is shown",
    arguments: [
      [], ["--to", "somewhere"], ["--to", "nats://u:secret@host"],
      ["--to", "nats://u:secret@host/a/b"], ["--to", "nats://h/S", "--subject-prefix", "a..b"],
      ["--to", "nats://h/S", "--replicas", "3"],
    ])
  func usage(options: [String]) throws {
    let store = try ProgramStore()
    let result = try HistorywatchProcess.run(["relay", store.path] + options)
    #expect(result.code == 2)
    #expect(result.errorLines.count == 2)
    #expect(!result.errors.contains("secret"))
  }

  @Test("a store that is named for a relay must be a UUID")
  func store() throws {
    let store = try ProgramStore()
    let result = try HistorywatchProcess.run(
      ["apply", store.path, "--from", "nats://h/S", "--store", "x"])
    #expect(result.code == 2)
  }

  @Test("a database that is not there is said, and not made")
  func missing() throws {
    let directory = try TemporaryDirectory()
    let result = try HistorywatchProcess.run(
      ["relay", directory.file("none.db"), "--to", "nats://127.0.0.1:1/S", "--no-follow"])
    #expect(result.code == 5)
  }

  #if NATS
    @Test("where no server answers it ends with --no-follow")
    func noServer() throws {
      let store = try ProgramStore()
      for arguments in [["relay", store.path, "--to"], ["apply", store.path, "--from"]] {
        let result = try HistorywatchProcess.run(
          arguments + ["nats://u:secret@127.0.0.1:1/S", "--no-follow"])
        #expect(result.code == 1)
        #expect(result.errors.contains("127.0.0.1:1"))
        #expect(!result.errors.contains("secret"))
      }
    }
  #else
    @Test("a build without NATS says so, and how to get one with it")
    func withoutNATS() throws {
      let store = try ProgramStore()
      for arguments in [["relay", store.path, "--to"], ["apply", store.path, "--from"]] {
        let result = try HistorywatchProcess.run(arguments + ["nats://127.0.0.1/S"])
        #expect(result.code == 5)
        #expect(result.errorLines.count == 2)
        #expect(result.errors.contains("make nats"))
      }
    }
  #endif
}
