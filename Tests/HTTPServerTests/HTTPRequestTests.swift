import HTTPServer
import Testing

@Suite("HTTP requests")
struct HTTPRequestTests {
  @Test(
    "a target is cut before it is decoded",
    arguments: [
      ("/", "/", []), ("/events?", "/events", []), ("/a%2Fb%3f", "/a/b?", []),
      ("/a+b?c+d=e%2Bf", "/a+b", ["c d", "e+f"]),
      ("/?a=1&b=2&a=3", "/", ["a", "1", "b", "2", "a", "3"]),
      ("/?a&b=&=c&&", "/", ["a", "", "b", "", "", "c"]), ("/?a=b=c%26d", "/", ["a", "b=c&d"]),
      ("/?table=caf%C3%A9", "/", ["table", "café"]), ("/?a=?b", "/", ["a", "?b"]),
    ])
  func targets(target: String, path: String, query: [String]) throws {
    let request = try HTTPRequest(.get, target: Array(target.utf8))
    #expect(request.path == path)
    #expect(request.query.flatMap { [$0.name, $0.value] } == query)
  }

  @Test(
    "what is no path, or does not decode, is refused",
    arguments: [
      "", "*", "http://host/", "events", "/%", "/%4", "/%zz", "/?a=%", "/%FF", "/?a=%C3", "/%+1",
    ])
  func badTargets(target: String) {
    #expect(throws: HTTPFault.badTarget) { try HTTPRequest(.get, target: Array(target.utf8)) }
  }

  @Test("headers are found by their name in lower case, if there is one of them")
  func headers() throws {
    let request = try HTTPRequest(
      .head, target: Array("/?a=1&a=2".utf8),
      headers: [HTTPField("Last-Event-ID", "t"), HTTPField("X", "1"), HTTPField("x", "2")])
    #expect(request.header("last-event-id") == "t")
    #expect(request.header("x") == nil)
    #expect(request.hasHeader("x"))
    #expect(!request.hasHeader("y"))
    #expect(request.values(of: "a") == ["1", "2"])
  }
}
