import EventLoop
import HistoryModel
import HistoryTestSupport
import Testing

@testable import WatchServer

/// HTTP while the server begins.
@Suite("The web server's beginning", .timeLimit(.minutes(1)))
struct WebServerTests {
  @Test(
    "who asks before the stores are there is answered once they are",
    arguments: [
      ("/status", "store.sqlite", "200", #""database":"#),
      ("/metrics", "store.sqlite", "200", "store.sqlite"),
      ("/healthz", "store.sqlite", "200", "healthy"), ("/healthz", "elsewhere", "503", "elsewhere"),
    ])
  func early(path: String, name: String, status: String, part: String) async throws {
    let file = try TemporaryStore(sql: "CREATE TABLE tasks(id INTEGER PRIMARY KEY)")
    try file.track()
    let executor = try LoopExecutor.onOwnThread(name: "serve")
    let settings = ServerSettings(ServerConfiguration(given: [file.directory.file(name)]))
    let server = try await ServingStage.unstarted(settings, executor)
    let web = WebServer(server)
    let address = try #require(
      SocketAddress(
        internet: try await web.start(.init(.address(.internet(host: "127.0.0.1", port: 0))))))
    let client = try await LineClient(at: address)
    await client.send("GET \(path) HTTP/1.1\r\nHost: \(address)\r\nConnection: close\r\n\r")
    while await web.waitingCount == 0 {
      try Task.checkCancellation()
      await Task.yield()
    }
    try await server.declare(settings.configuration)
    await web.open()
    var text = ""
    while let line = try await client.nextLine() { text += String(decoding: line, as: UTF8.self) }
    #expect(text.hasPrefix("HTTP/1.1 \(status) "))
    #expect(text.contains(part))
    await web.stop(within: .zero)
    await server.stop()
    executor.letGo()
  }
}
