import EventLoop
import HistoryModel
import Testing

@testable import WatchClient

@Suite("Watched transactions", .timeLimit(.minutes(1)))
struct WatchedTransactionsTests {
  private let server: FakeServer

  init() throws { server = try FakeServer() }

  /// Reads so many transactions in a task, from a position on.
  private func reading(
    _ count: Int, after position: HistoryPosition = .now, log: PauseLog = PauseLog(),
    filter: ChangeFilter = ChangeFilter(), of database: String? = nil
  ) throws -> Task<[Int64], any Error> {
    let client = try HistoryClient(socket: server.path, on: nil, pace: log.pace)
    let sequence = client.transactions(of: database, after: position, matching: filter)
    return Task {
      var numbers: [Int64] = []
      if count == 0 { return [] }
      for try await transaction in sequence {
        numbers.append(transaction.number)
        #expect(transaction.changes.count == 1)
        #expect(transaction.changes[0].key == StoredRow(["id": .integer(transaction.number)]))
        if numbers.count == count { break }
      }
      return numbers
    }
  }

  @Test("what is asked for is what the server is asked for")
  func request() async throws {
    try await server.listen()
    let filter = ChangeFilter(
      tables: ["Tasks"], operations: [.insert], authors: [nil], excludedAuthors: ["app"])
    let task = try reading(1, after: .oldest, filter: filter, of: "app.db")
    let request = try await server.begin()
    #expect(
      request == [
        "operation": "subscribe", "subscription": "transactions", "database": "app.db",
        "since": "oldest", "table": ["tasks"], "op": ["insert"], "author": [nil],
        "not-author": ["app"],
      ])
    try await server.send(Script.hello(at: 4) + Script.transaction(5))
    #expect(try await task.value == [5])
    // The sequence is no longer used: its connection is closed.
    #expect(try await server.request() == nil)
  }

  @Test(
    "a connection that breaks anywhere loses nothing and repeats nothing",
    arguments: [
      // What is sent before it breaks, and the position that is gone on from.
      ("", nil),
      (#"{"kind":"subscr"#, nil),
      (Script.hello(at: 4).prefix { $0 != "\n" } + "\n", nil),
      (Script.hello(at: 4), 4),
      (Script.hello(at: 4) + Script.transaction(5).prefix(30), 4),
      (Script.hello(at: 4) + Script.transaction(5).prefix { $0 != "\n" } + "\n", 4),
      (Script.hello(at: 4) + Script.transaction(5).dropLast(), 4),
      (Script.hello(at: 4) + Script.bookmark(8) + Script.transaction(9).prefix(30), 8),
    ] as [(String, Int64?)])
  func breaks(text: String, position: Int64?) async throws {
    try await server.listen()
    let task = try reading(2)
    #expect(try await server.begin()["since"] == "now")
    try await server.send(text)
    await server.drop()
    let again = try await server.begin()
    #expect(again["since"]?.string == position.map { Script.token($0).description } ?? "now")
    try await server.send(Script.hello(at: position ?? 8) + Script.transaction(9))
    try await server.send(Script.transaction(10))
    #expect(try await task.value == [9, 10])
  }

  @Test("a transaction that was given does not come again")
  func givenOnce() async throws {
    try await server.listen()
    let task = try reading(3)
    _ = try await server.begin()
    try await server.send(
      Script.hello(at: 4) + Script.transaction(5) + Script.transaction(6).prefix(200))
    await server.drop()
    #expect(try await server.begin()["since"]?.string == Script.token(5).description)
    try await server.send(Script.hello(at: 5) + Script.transaction(6) + Script.transaction(7))
    #expect(try await task.value == [5, 6, 7])
  }

  @Test("a server that is not there yet is waited for, longer each time")
  func notThereYet() async throws {
    let log = PauseLog(listening: server, after: 4)
    let task = try reading(1, log: log)
    _ = try await server.begin()
    try await server.send(Script.hello(at: 4) + Script.transaction(5))
    #expect(try await task.value == [5])
    #expect(log.all == [100, 200, 400, 800].map { .milliseconds($0) })
  }

  @Test(
    "a server that ends, or has no patience, is connected to again",
    arguments: [
      #"{"kind":"bye","reason":"slow"}"# + "\n", #"{"kind":"bye","reason":"signal"}"# + "\n",
      #"{"kind":"bye","reason":"something new"}"# + "\n", Script.bye(.signal), Script.bye(.slow),
      #"{"kind":"error","code":"temporary","message":"it is locked","subscription":"transactions"}"#
        + "\n",
    ])
  func ends(bye: String) async throws {
    try await server.listen()
    let log = PauseLog()
    let task = try reading(2, log: log)
    _ = try await server.begin()
    try await server.send(Script.hello(at: 4) + Script.transaction(5) + bye)
    #expect(try await server.begin()["since"]?.string == Script.token(5).description)
    try await server.send(Script.hello(at: 5) + Script.transaction(6))
    #expect(try await task.value == [5, 6])
    #expect(log.all == [.milliseconds(100)])
  }

  @Test("a server that dies of the request is asked ever less often")
  func dying() async throws {
    try await server.listen()
    let log = PauseLog()
    let task = try reading(1, log: log)
    for _ in 0..<4 {
      _ = try await server.begin()
      try await server.send(Script.hello(at: 4))
      await server.drop()
    }
    _ = try await server.begin()
    try await server.send(Script.hello(at: 4) + Script.transaction(5))
    #expect(try await task.value == [5])
    #expect(log.all == [100, 200, 400, 800].map { .milliseconds($0) })
  }

  @Test("an expired position is told with the oldest that is left")
  func expired() async throws {
    try await server.listen()
    let task = try reading(1, after: .after(Script.token(3)))
    _ = try await server.begin()
    try await server.send(
      Script.hello(at: 3) + Script.expired(oldest: 40) + Script.bye(.expired))
    let error = await #expect(throws: HistoryError.self) { try await task.value }
    #expect(error?.code == .historyTokenExpired)
    #expect(error?.oldest == Script.token(40))
    #expect(error?.expiryReason == .trimmed)
  }

  @Test("what the server refuses is thrown as it says it")
  func refused() async throws {
    try await server.listen()
    let task = try reading(1)
    _ = try await server.begin()
    try await server.send(
      #"{"kind":"error","code":"foreignToken","message":"no","hint":"do"}"# + "\n")
    let error = await #expect(throws: HistoryError.self) { try await task.value }
    #expect(error?.code == .foreignToken)
    #expect(error?.message == "no")
    #expect(error?.hint == "do")
    #expect(try await server.request() == nil)
  }

  @Test(
    "a subscription that fails ends with what the server says",
    arguments: [(Script.bye(.error, message: "broken"), "broken")])
  func fails(bye: String, message: String) async throws {
    try await server.listen()
    let task = try reading(1)
    _ = try await server.begin()
    try await server.send(Script.hello(at: 4) + bye)
    let error = await #expect(throws: HistoryError.self) { try await task.value }
    #expect(error?.message == message)
  }

  @Test(
    "what no server sends is told, without what it was",
    arguments: [
      ("SSH-2.0-secret\n", "only true, false and null may stand without quotes (column 1)"),
      ("{}\n", "kind: a string is expected"),
      (
        #"{"kind":"commit","secret":1,"subscription":"transactions"}"# + "\n",
        "author: it is missing"
      ),
    ])
  func garbage(text: String, reason: String) async throws {
    try await server.listen()
    let task = try reading(1)
    _ = try await server.begin()
    try await server.send(text)
    let error = await #expect(throws: HistoryError.self) { try await task.value }
    #expect(
      error?.message == "what listens at \(server.path) sent a line that cannot be read: \(reason)")
    #expect(try await server.request() == nil)
  }

  @Test("a server of another protocol is not listened to")
  func otherProtocol() async throws {
    try await server.listen()
    let task = try reading(1)
    try await server.accept()
    try await server.send(#"{"kind":"hello","protocol":2}"# + "\n")
    let error = await #expect(throws: HistoryError.self) { try await task.value }
    #expect(error?.code == .storeUnavailable)
  }

  @Test("cancelling ends the sequence and closes its connection")
  func cancelled() async throws {
    try await server.listen()
    let task = try reading(2)
    _ = try await server.begin()
    try await server.send(Script.hello(at: 4) + Script.transaction(5))
    task.cancel()
    _ = try await task.value
    #expect(try await server.request() == nil)
  }

  @Test("nobody who waits for another is slowed down by one who does not read")
  func slowReader() async throws {
    try await server.listen()
    let client = try HistoryClient(socket: server.path)
    var slow = client.transactions(after: .now).makeAsyncIterator()
    let serving = Task { [server] in
      _ = try await server.begin()
      try await server.send(Script.hello(at: 0) + Script.transaction(1))
    }
    #expect(try await slow.next()?.number == 1)
    try await serving.value
    // It is not read from now on, so the kernel takes no more after a while.
    let many = (2..<5000).map { Script.transaction($0) }
    var sent = 0
    while try await server.offer(many[sent]) == 0 { sent += 1 }
    #expect(sent < many.count - 1)
    // And goes on where it was when it is asked again.
    for number in 2..<sent { #expect(try await slow.next()?.number == Int64(number)) }
  }
}
