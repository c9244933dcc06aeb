import EventLoop
import HTTPServer
import HistoryModel
import Testing

@Suite("HTTP guard")
struct HTTPGuardTests {
  private func judge(
    _ headers: [(String, String)], at address: String = "127.0.0.1:8080", path: String = "/events",
    access: HTTPAccess = HTTPAccess()
  ) throws -> String? {
    let address = try #require(SocketAddress(internet: address))
    let watchman = try HTTPGuard(address: address, access: access)
    let request = try HTTPRequest(
      .get, target: Array(path.utf8), headers: headers.map { HTTPField($0.0, $0.1) })
    return watchman.refusal(of: request)?.code
  }

  @Test(
    "on the loopback it is asked by its address or as localhost, and by no other port",
    arguments: [
      ("127.0.0.1:8080", true), ("localhost:8080", true), ("LOCALHOST:8080", true),
      ("[::1]:8080", true), ("127.0.0.2:8080", true),
      ("127.0.0.1", true), ("localhost", true), ("127.0.0.1:8081", false),
      ("evil.example", false), ("192.168.0.1", false),
      ("evil.example:8080", false), ("localhost.evil.example:8080", false),
      ("127.0.0.1.evil.example:8080", false), ("localhost.:8080", false),
      ("192.168.0.1:8080", false),
      ("", false), ("127.0.0.1:8080@evil.example", false), ("a@127.0.0.1:8080", false),
      ("127.0.0.1:8080/", false), ("127.0.0.1:+8080", false), ("127.0.0.1:18080", false),
      ("127.1:8080", false), ("2130706433:8080", false), ("0.0.0.0:8080", false),
      ("[::1:8080", false), ("::1:8080", false), ("127.0.0.1:8080, evil.example", false),
    ])
  func loopbackHosts(host: String, isOurs: Bool) throws {
    #expect(try judge([("Host", host)]) == (isOurs ? nil : "foreignHost"))
  }

  @Test("the port need not be named, but a page of another port stays foreign")
  func noPort() throws {
    #expect(try judge([("Host", "localhost")], at: "127.0.0.1:80") == nil)
    #expect(try judge([("Host", "localhost:80")], at: "127.0.0.1:80") == nil)
    let foreign = [("Host", "127.0.0.1:8080"), ("Origin", "http://127.0.0.1")]
    #expect(try judge(foreign) == "foreignPage")
  }

  @Test("no Host, or two of them, is nobody's")
  func oneHost() throws {
    #expect(try judge([]) == "foreignHost")
    let twice = [("Host", "127.0.0.1:8080"), ("host", "127.0.0.1:8080")]
    #expect(try judge(twice) == "foreignHost")
  }

  @Test(
    "off the loopback names must be allowed, and addresses are what they are",
    arguments: [
      ("192.168.0.1:8080", "192.168.0.1:8080", true),
      ("192.168.0.1:8080", "192.168.0.2:8080", false),
      ("192.168.0.1:8080", "localhost:8080", false), ("192.168.0.1:8080", "db.example", true),
      ("192.168.0.1:8080", "db.example:444", true), ("192.168.0.1:8080", "proxy.example:90", true),
      ("192.168.0.1:8080", "proxy.example:91", false), ("192.168.0.1:8080", "proxy.example", false),
      ("0.0.0.0:8080", "10.1.2.3:8080", true), ("0.0.0.0:8080", "localhost:8080", true),
      ("0.0.0.0:8080", "10.1.2.3:8081", false), ("0.0.0.0:8080", "evil.example:8080", false),
      ("[::]:8080", "[fe80::1]:8080", true), ("[::]:8080", "evil.example:8080", false),
      ("[2001:db8::1]:8080", "[2001:DB8::1]:8080", true),
      ("[2001:db8::1]:8080", "[2001:db8::2]:8080", false),
    ])
  func otherHosts(address: String, host: String, isOurs: Bool) throws {
    let access = HTTPAccess(
      hosts: ["db.example", "Proxy.example:90"], token: try BearerToken("secret"))
    let headers = [("Host", host), ("Authorization", "Bearer secret")]
    #expect(try judge(headers, at: address, access: access) == (isOurs ? nil : "foreignHost"))
  }

  @Test(
    "a page from elsewhere is not answered",
    arguments: [
      ("http://127.0.0.1:8080", true), ("http://localhost:8080", false),
      ("http://127.0.0.1:3000", false), ("http://evil.example", false), ("null", false),
      ("", false),
      ("https://127.0.0.1:8080", true), ("file://", false), ("http://127.0.0.1", false),
      ("http://127.0.0.1:8080.evil.example", false), ("http://127.0.0.1:8080/", false),
    ])
  func origins(origin: String, isOwn: Bool) throws {
    let headers = [("Host", "127.0.0.1:8080"), ("Origin", origin)]
    #expect(try judge(headers) == (isOwn ? nil : "foreignPage"))
  }

  @Test("an origin without a port has the one of its scheme")
  func originPorts() throws {
    let access = HTTPAccess(hosts: ["db.example"])
    for (origin, host, isOwn) in [
      ("https://db.example", "db.example", true), ("http://db.example", "db.example:80", true),
      ("https://db.example", "db.example:443", true),
      ("https://db.example", "db.example:80", false),
    ] {
      let headers = [("Host", host), ("Origin", origin)]
      #expect(try judge(headers, access: access) == (isOwn ? nil : "foreignPage"))
    }
  }

  @Test(
    "what the browser says about the page decides",
    arguments: [
      ("same-origin", true), ("none", true), ("same-site", false), ("cross-site", false),
      ("", false),
    ])
  func fetchSites(site: String, isOwn: Bool) throws {
    let headers = [("Host", "127.0.0.1:8080"), ("Sec-Fetch-Site", site)]
    #expect(try judge(headers) == (isOwn ? nil : "foreignPage"))
  }

  @Test(
    "the token is required everywhere but on open paths, and only as a header",
    arguments: [
      ("/events", "Bearer secret-token", nil as String?), ("/events", "bearer secret-token", nil),
      ("/events", nil, "tokenMissing"), ("/events", "Bearer secret-tokem", "tokenWrong"),
      ("/events", "Bearer secret-token2", "tokenWrong"), ("/events", "Bearer secret", "tokenWrong"),
      ("/events", "Bearer ", "tokenWrong"), ("/events", "secret-token", "tokenWrong"),
      ("/events", "Basic secret-token", "tokenWrong"), ("/", nil, nil), ("//", nil, "tokenMissing"),
      ("/events?access_token=secret-token", nil, "tokenMissing"),
    ])
  func tokens(path: String, carried: String?, code: String?) throws {
    let access = HTTPAccess(token: try BearerToken(" secret-token\n"), openPaths: ["/"])
    let headers = [("Host", "127.0.0.1:8080")] + (carried.map { [("Authorization", $0)] } ?? [])
    #expect(try judge(headers, path: path, access: access) == code)
  }

  @Test("a token is never shown, and must be one that a header can carry")
  func tokenText() throws {
    let token = try BearerToken("secret-token")
    #expect(!"\(token) \(String(reflecting: token))".contains("secret"))
    var dumped = ""
    dump(HTTPAccess(token: token), to: &dumped)
    #expect(!dumped.contains("secret"))
    for text in ["", " \n", "two words", "naïve", "a\nb"] {
      #expect(throws: HistoryError.self) { try BearerToken(text) }
    }
  }

  @Test("where others can connect a token is required; a path is no address")
  func addresses() throws {
    let token = try BearerToken("secret")
    for (address, isLoopback) in [
      ("127.0.0.1:1", true), ("[::1]:1", true), ("[::ffff:127.0.0.1]:1", true),
      ("0.0.0.0:1", false),
      ("[::]:1", false), ("10.0.0.1:1", false),
    ] {
      let address = try #require(SocketAddress(internet: address))
      #expect(((try? HTTPGuard(address: address, access: HTTPAccess())) != nil) == isLoopback)
      #expect((try? HTTPGuard(address: address, access: HTTPAccess(token: token))) != nil)
    }
    #expect(throws: HistoryError.self) {
      try HTTPGuard(address: .local(path: "/tmp/x"), access: HTTPAccess(token: token))
    }
    #expect(throws: HistoryError.self) {
      try HTTPGuard(address: .anyPort, access: HTTPAccess(hosts: ["http://db.example"]))
    }
  }

  @Test(
    "what is refused is refused over the wire, as JSON", .timeLimit(.minutes(1)),
    arguments: [
      ("Host: evil.example", 403, "foreignHost"),
      ("Origin: http://evil.example", 403, "foreignPage"),
      ("Sec-Fetch-Site: cross-site", 403, "foreignPage"),
      ("Authorization: Bearer x", 401, "tokenWrong"),
      ("X: y", 401, "tokenMissing"),
    ])
  func overTheWire(header: String, status: Int, code: String) async throws {
    try await onLoop { executor in
      let access = HTTPAccess(token: try BearerToken("secret"), openPaths: ["/"])
      let listener = try HTTPListener(.anyPort, access: access, on: executor, echo)
      let client = try await Client(listener, on: executor)
      if header.hasPrefix("Host") {
        client.send("GET /events HTTP/1.1\r\n\(header)\r\n\r\n")
      } else {
        client.ask("/events", of: listener, header)
      }
      let refused = try await client.answer()
      #expect(refused.status == status)
      #expect(refused.headers["access-control-allow-origin"] == nil)
      #expect(refused.body.hasPrefix(#"{"kind":"error","code":"\#(code)","message":""#))
      #expect((refused.headers["www-authenticate"] != nil) == (status == 401))
      // The connection is none the worse for it.
      client.ask("/events", of: listener, "Authorization: Bearer secret")
      let answer = try await client.answer()
      #expect(answer.status == 200)
      listener.stop()
    }
  }
}
