import HTTPServer
import HistoryModel
import Testing

@testable import EventLoop

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite("HTTP listener", .timeLimit(.minutes(1)))
struct HTTPListenerTests {
  @Test(
    "a request is answered with what every answer has, at IPv4 and IPv6",
    arguments: [
      "127.0.0.1", "::1",
    ])
  func answering(host: String) async throws {
    try await onLoop { executor in
      let listener = try HTTPListener(.internet(host: host, port: 0), on: executor, echo)
      let client = try await Client(listener, on: executor)
      client.ask("/status", of: listener)
      let answer = try await client.answer()
      #expect(answer.status == 200)
      #expect(answer.body == "/status")
      #expect(answer.headers["content-type"] == "text/plain")
      #expect(answer.headers["cache-control"] == "no-store")
      #expect(answer.headers["x-content-type-options"] == "nosniff")
      #expect(answer.headers["referrer-policy"] == "no-referrer")
      #expect(answer.headers["content-security-policy"]?.hasPrefix("default-src 'none'") == true)
      listener.stop()
    }
  }

  @Test("a connection is kept, and pipelined requests are answered in their order")
  func keepingAlive() async throws {
    try await onLoop { executor in
      let listener = try HTTPListener(.anyPort, on: executor, echo)
      let client = try await Client(listener, on: executor)
      for path in ["/a", "/b"] {
        client.ask(path, of: listener)
        let answer = try await client.answer()
        #expect(answer.body == path)
      }
      for path in ["/1", "/2", "/3"] { client.ask(path, of: listener) }
      for path in ["/1", "/2", "/3"] {
        let answer = try await client.answer()
        #expect(answer.body == path)
      }
      #expect(listener.connectionCount == 1)
      listener.stop()
    }
  }

  @Test("an answer may come later, and the others are answered meanwhile")
  func answeringLater() async throws {
    try await onLoop { executor in
      var waiting: HTTPExchange?
      let gate = try LoopGate(on: executor)
      let listener = try HTTPListener(.anyPort, on: executor) { request, exchange in
        guard request.path == "/later" else { return echo(request, exchange) }
        waiting = exchange
        gate.open()
      }
      let patient = try await Client(listener, on: executor)
      patient.ask("/later", of: listener)
      _ = await gate.wait(for: nil)
      let other = try await Client(listener, on: executor)
      other.ask("/now", of: listener)
      let now = try await other.answer()
      #expect(now.body == "/now")
      waiting.take()?.respond(.json(Array("{}".utf8)))
      let later = try await patient.answer()
      #expect(later.body == "{}")
      listener.stop()
    }
  }

  @Test("a request that was let go is told that it was not answered")
  func unanswered() async throws {
    try await onLoop { executor in
      let listener = try HTTPListener(.anyPort, on: executor) { _, _ in }
      let client = try await Client(listener, on: executor)
      client.ask("/", of: listener)
      let answer = try await client.answer()
      #expect(answer.status == 500)
      listener.stop()
    }
  }

  @Test("who asked learns that the client went before the answer")
  func abandoned() async throws {
    try await onLoop { executor in
      let gate = try LoopGate(on: executor)
      var kept: HTTPExchange?
      let listener = try HTTPListener(.anyPort, on: executor) { _, exchange in
        exchange.onAbandon = { gate.open() }
        kept = exchange
        gate.open()
      }
      let client = try await Client(listener, on: executor)
      client.ask("/", of: listener)
      _ = await gate.wait(for: nil)
      #expect(kept?.isOpen == true)
      client.connection.close()
      _ = await gate.wait(for: nil)
      #expect(kept?.isOpen == false)
      // Too late, and without effect.
      kept?.respond(HTTPFault.notFound)
      let stream = kept?.stream(contentType: "text/plain")
      #expect(stream?.offer([1]) == .gone)
      listener.stop()
    }
  }

  @Test("HEAD gives the headers of GET and no body")
  func head() async throws {
    try await onLoop { executor in
      let listener = try HTTPListener(.anyPort, on: executor) { request, exchange in
        #expect(request.method == (request.path == "/head" ? .head : .get))
        echo(request, exchange)
      }
      let client = try await Client(listener, on: executor)
      client.ask("/head", of: listener, method: "HEAD")
      let head = try await client.head()
      #expect(head.headers["content-length"] == "5")
      // Had a body come, it would stand in front of this.
      client.ask("/next", of: listener)
      let next = try await client.answer()
      #expect(next.body == "/next")
      listener.stop()
    }
  }

  @Test(
    "other methods and bodies are refused before the body comes",
    arguments: [
      ("POST / HTTP/1.1\r\nContent-Length: 5", 405), ("DELETE / HTTP/1.1", 405),
      ("GET / HTTP/1.1\r\nContent-Length: 5", 413),
      ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked", 413), ("OPTIONS * HTTP/1.1", 405),
    ])
  func reading(request: String, status: Int) async throws {
    try await onLoop { executor in
      let listener = try HTTPListener(.anyPort, on: executor) { _, _ in
        Issue.record("Nobody is to be asked.")
      }
      let client = try await Client(listener, on: executor)
      client.send("\(request)\r\nHost: \(listener.address)\r\n\r\n")
      let answer = try await client.answer()
      #expect(answer.status == status)
      #expect(answer.headers["allow"] == (status == 405 ? "GET, HEAD" : nil))
      #expect(answer.body.hasPrefix(#"{"kind":"error","code":""#))
      await client.end()
      listener.stop()
    }
  }

  @Test(
    "what is no request, or too long for one, is refused",
    arguments: [
      "GET /\(String(repeating: "x", count: 40_000)) HTTP/1.1\r\n\r\n",
      "GET / HTTP/1.1\r\nX: \(String(repeating: "x", count: 40_000))\r\n\r\n",
      "GET / HTTP/1.1\r\n" + String(repeating: "X: y\r\n", count: 5_000) + "\r\n",
      "GET / HTTP/1.1\r\nNo-Host: x\r\n\r\n", "nonsense\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\r\n\r\n",
      "GET http://127.0.0.1/ HTTP/1.1\r\nHost: x\r\n\r\n", "GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n",
    ])
  func malformed(request: String) async throws {
    try await onLoop { executor in
      let listener = try HTTPListener(.anyPort, on: executor) { _, _ in
        Issue.record("Nobody is to be asked.")
      }
      let client = try await Client(listener, on: executor)
      client.send(request)
      if let status = try? await client.head().status { #expect(400..<500 ~= status) }
      client.connection.close()
      let other = try await Client(listener, on: executor)
      other.ask("/%zz", of: listener)
      let answer = try await other.answer()
      #expect(answer.status == 400)
      listener.stop()
    }
  }

  @Test("who takes too long for a request is disconnected, however often he sends a byte")
  func slowHeaders() async throws {
    try await onLoop { executor in
      let limits = HTTPLimits(requestTimeout: .milliseconds(200))
      let listener = try HTTPListener(.anyPort, limits: limits, on: executor, echo)
      let silent = try await Client(listener, on: executor)
      let dripping = try await Client(listener, on: executor)
      dripping.send("GET / HTTP/1.1\r\nX: ")
      let timer = try LoopTimer(on: executor)
      timer.start(after: .zero, repeating: .milliseconds(20)) { dripping.send("x") }
      await silent.end()
      await dripping.end()
      timer.stop()
      listener.stop()
    }
  }

  @Test("those too many are told so, and the others are answered as before")
  func tooMany() async throws {
    try await onLoop { executor in
      let limits = HTTPLimits(connections: 2)
      let listener = try HTTPListener(.anyPort, limits: limits, on: executor, echo)
      var clients: [Client] = []
      for _ in 1...2 {
        let client = try await Client(listener, on: executor)
        client.ask("/first", of: listener)
        _ = try await client.answer()
        clients.append(client)
      }
      let third = try await Client(listener, on: executor)
      third.ask("/third", of: listener)
      let refused = try await third.answer()
      #expect(refused.status == 503)
      #expect(refused.headers["retry-after"] != nil)
      await third.end()
      #expect(listener.refusedCount == 1)
      // Far beyond, they are not even listened to.
      var crowd: [Client] = []
      for _ in 1...40 { crowd.append(try await Client(listener, on: executor)) }
      for client in clients {
        client.ask("/again", of: listener)
        let answer = try await client.answer()
        #expect(answer.body == "/again")
      }
      for client in crowd + clients { client.connection.close() }
      await until(executor) { listener.connectionCount == 0 }
      let next = try await Client(listener, on: executor)
      next.ask("/next", of: listener)
      let answer = try await next.answer()
      #expect(answer.body == "/next")
      listener.stop()
    }
  }

  @Test("a hundred at once are all answered")
  func hundred() async throws {
    try await onLoop { executor in
      let limits = HTTPLimits(connections: 100)
      let listener = try HTTPListener(.anyPort, limits: limits, on: executor, echo)
      var clients: [Client] = []
      for _ in 1...100 { clients.append(try await Client(listener, on: executor)) }
      for (place, client) in clients.enumerated() { client.ask("/\(place)", of: listener) }
      for (place, client) in clients.enumerated() {
        let answer = try await client.answer()
        #expect(answer.body == "/\(place)")
      }
      #expect(listener.connectionCount == 100)
      listener.stop()
      for client in clients { await client.end() }
    }
  }

  @Test("a thousand connections leave no descriptor behind")
  func noLeaks() async throws {
    try await onLoop(secluded: true) { executor in
      let before = openDescriptorCount()
      let listener = try HTTPListener(.anyPort, on: executor) { request, exchange in
        guard request.path == "/stream" else { return echo(request, exchange) }
        _ = exchange.stream(contentType: "text/plain").offer([65])
      }
      let listening = openDescriptorCount()
      for round in 0..<1000 {
        let client = try await Client(listener, on: executor)
        client.ask(round % 3 == 0 ? "/stream" : "/", of: listener)
        if round % 5 != 0 { _ = try await client.head() }
        client.connection.close()
      }
      await until(executor) { listener.connectionCount == 0 }
      #expect(openDescriptorCount() == listening)
      listener.stop()
      listener.stop()
      #expect(openDescriptorCount() == before)
    }
  }

  @Test("a socket that was handed over is listened at, and one that does not listen is not")
  func handedOver() async throws {
    try await onLoop { executor in
      let made = try ListeningSocket(.anyPort)
      let inherited = InheritedSocket(name: "http", descriptor: dup(made.descriptor))
      let listener = try HTTPListener(taking: inherited, on: executor, echo)
      #expect(listener.address == made.address)
      let client = try await Client(listener, on: executor)
      client.ask("/", of: listener)
      let answer = try await client.answer()
      #expect(answer.status == 200)
      listener.stop()
      // The service manager's own goes on to listen.
      _ = try await SocketConnection.connect(to: made.address, on: executor)
      let error = #expect(throws: HistoryError.self) {
        let connection = InheritedSocket(name: "http", descriptor: dup(0))
        return try HTTPListener(taking: connection, on: executor, echo)
      }
      #expect(error?.code == .usage)
    }
  }

  @Test("an address that is taken, or that others can reach, is an error")
  func refusals() async throws {
    try await onLoop { executor in
      let first = try HTTPListener(.anyPort, on: executor, echo)
      let taken = #expect(throws: HistoryError.self) {
        try HTTPListener(first.address, on: executor, echo)
      }
      #expect(taken?.code == .temporary)
      for host in ["0.0.0.0", "::"] {
        let open = #expect(throws: HistoryError.self) {
          try HTTPListener(.internet(host: host, port: 0), on: executor, echo)
        }
        #expect(open?.code == .usage)
      }
      let access = HTTPAccess(token: try BearerToken("secret"))
      let everywhere = try HTTPListener(
        .internet(host: "0.0.0.0", port: 0), access: access, on: executor, echo)
      everywhere.stop()
      first.stop()
    }
  }
}

/// Lets the loop go on until something holds.
nonisolated(nonsending) func until(_ executor: LoopExecutor, _ holds: () -> Bool) async {
  while !holds() { await LoopTimer.pause(for: .milliseconds(1), on: executor) }
}
