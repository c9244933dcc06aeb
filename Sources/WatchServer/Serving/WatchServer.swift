package import EventLoop
package import HistoryModel
import HistoryObservation
import HistoryStore
import TimelineReload

/// Serves the history of some stores to whoever connects. It lives on the loop.
package actor WatchServer {
  package nonisolated let executor: LoopExecutor
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// How many may be connected at once.
  static let connectionLimit = 4096

  let settings: ServerSettings
  let log: ServerLog
  private(set) var stores: [ServedStore] = []
  /// What is served; nil before it starts.
  private var declared: ServerConfiguration?
  private var listeners: [SocketListener] = []
  private var webs: [WebServer] = []
  private var connections: [Int: ClientConnection] = [:]
  private var lastConnection = 0
  private let ticker: LoopTimer
  /// Where history is trimmed: a checkpoint waits for the disk, and readers must not.
  private let keeping: LoopExecutor
  private var isTicking = false
  private let birth = ContinuousClock.now
  private(set) var counts = ServerCounts()

  /// Makes a server that does nothing yet.
  ///
  /// - Parameters:
  ///   - settings: What it is to do.
  ///   - log: Where it says what happens.
  ///   - executor: The loop.
  /// - Throws: ``EventLoop/LoopError`` if libuv refuses.
  package init(
    _ settings: ServerSettings, log: ServerLog, on executor: LoopExecutor
  ) throws(LoopError) {
    self.settings = settings
    self.log = log
    self.executor = executor
    ticker = try LoopTimer(on: executor)
    keeping = try LoopExecutor.onOwnThread(name: "keeping")
  }

  deinit { keeping.letGo() }

  /// Listens, and opens the stores or begins to wait for them.
  ///
  /// - Throws: ``/HistoryModel/HistoryError`` when it cannot listen, or when what is at a path will never be
  ///   a store.
  package func start() async throws(HistoryError) {
    // The socket first: a second server ends before it has done anything to a store.
    for socket in settings.sockets { listeners.append(try listener(socket)) }
    for web in settings.web {
      let server = WebServer(self)
      log.say(.info, "serving HTTP at http://\(try await server.start(web))/")
      webs.append(server)
    }
    try await declare(settings.configuration)
    for web in webs { await web.open() }
    for listener in listeners {
      let address = listener.address
      log.say(.info, "listening at \(address)")
      Task(executorPreference: executor) { await self.accept(at: address) }
    }
  }

  /// Serves what is declared now; what is the same as before goes on undisturbed.
  ///
  /// - Parameter configuration: What is declared.
  /// - Throws: ``/HistoryModel/HistoryError`` when something in it cannot be done, or what is at a new path
  ///   will never be a store; what was served before goes on then.
  package func declare(_ configuration: ServerConfiguration) async throws(HistoryError) {
    for declaration in configuration.reloads {
      guard let program = declaration.command?.first else { continue }
      do throws(HistoryError) {
        try ReloadCommand.check(program)
      } catch {
        let kind = Quotation.of(declaration.kind.name)
        throw HistoryError(
          error.code, "the timeline \(kind): \(error.message)", hint: error.hint, cause: error)
      }
    }
    let limits = configuration.limits(or: settings.limits)
    let wanted = configuration.databases
    let added = try await started(
      wanted.filter { path in !stores.contains { $0.path == path } }, keeping: limits)
    let served = wanted.compactMap { path in (stores + added).first { $0.path == path } }
    // All that can fail comes before all that changes what is served.
    var prepared: [[ReloadServer]] = []
    do throws(LoopError) {
      for store in served {
        prepared.append(try await store.prepare(configuration.reloads(of: store.path)))
      }
    } catch {
      for store in added { await store.stop() }
      throw HistoryError(.temporary, "a timeline cannot be followed: \(error)", cause: error)
    }
    let removed = stores.filter { !wanted.contains($0.path) }
    stores = served
    for store in removed {
      log.say(.notice, "\(store.path) is served no more")
      await store.stop()
    }
    for (store, reloads) in zip(served, prepared) {
      await store.declare(
        configuration.reloads(of: store.path), preparedAs: reloads, keeping: limits)
    }
    if let declared {
      log.say(.notice, ConfigurationChanges(from: declared, to: configuration).sentence)
    }
    declared = configuration
  }

  /// Stores that have been opened or are waited for: all of them, or none.
  private func started(
    _ paths: [String], keeping limits: RetentionLimits
  ) async throws(HistoryError) -> [ServedStore] {
    var started: [ServedStore] = []
    for path in paths {
      let store = ServedStore(path: path, keeping: limits, on: keeping, log: log, on: executor)
      do throws(HistoryError) {
        try await store.start()
      } catch {
        for store in started { await store.stop() }
        throw error
      }
      started.append(store)
    }
    return started
  }

  private func listener(_ socket: ServerSettings.Socket) throws(HistoryError) -> SocketListener {
    do throws(SocketListener.Refusal) {
      switch socket {
      case .path(let path):
        // Others can be let in only if they can knock; who they are the kernel says, and not the mode.
        let permissions: UInt16 = settings.allowedUsers.isEmpty ? 0o600 : 0o666
        return try SocketListener(.local(path: path), permissions: permissions, on: executor)
      case .inherited(let inherited): return try SocketListener(taking: inherited, on: executor)
      }
    } catch {
      throw HistoryError(refusal: error, socket)
    }
  }

  private func accept(at address: SocketAddress) async {
    guard let listener = listeners.first(where: { $0.address == address }) else { return }
    var told: String?
    while true {
      do throws(LoopError) {
        take(try await listener.accept())
        told = nil
      } catch {
        // It was closed; else one that could not be had says nothing about the next.
        guard !listeners.isEmpty else { return }
        let sentence = "a connection could not be accepted: \(error)"
        if sentence != told { log.say(.error, "\(sentence); trying again") }
        told = sentence
        await LoopTimer.pause(for: .milliseconds(50), on: executor)
      }
    }
  }

  private func take(_ socket: sending SocketConnection) {
    guard connections.count < Self.connectionLimit else {
      counts.refused += 1
      return socket.close()
    }
    // Whoever does not say who he is, as over a network, is nobody who may.
    guard let user = socket.peer?.user,
      user == PeerCredentials.own.user || settings.allowedUsers.contains(user)
    else {
      counts.refused += 1
      let who = socket.peer.map { "user \($0.user)" } ?? "somebody unknown"
      log.say(.warning, "a connection of \(who) was refused")
      return socket.close()
    }
    counts.accepted += 1
    lastConnection += 1
    let number = lastConnection
    let connection = ClientConnection(number, socket, of: self)
    connections[number] = connection
    Task(executorPreference: executor) {
      await connection.run()
      await self.forget(number)
    }
  }

  private func forget(_ number: Int) { connections[number] = nil }

  /// How long it has been running.
  var now: Duration { birth.duration(to: .now) }

  /// Has every connection looked at once a second, as long as one has something to be looked after.
  func tick() {
    guard !isTicking else { return }
    isTicking = true
    ticker.start(after: .seconds(1), repeating: .seconds(1)) { [weak self] in
      self?.assumeIsolated { $0.lookAfterConnections(now: $0.now) }
    }
  }

  func lookAfterConnections(now: Duration) {
    var needsMore = false
    for connection in connections.values {
      let isBusy = connection.assumeIsolated { $0.lookAfter(now: now) }
      needsMore = needsMore || isBusy
    }
    if !needsMore {
      isTicking = false
      ticker.stop()
    }
  }

  /// Tells everybody goodbye, waits until it has gone out, and closes everything.
  ///
  /// - Parameter limit: How long to wait for readers.
  package func stop(within limit: Duration = .seconds(2)) async {
    for listener in listeners { listener.close() }
    listeners = []
    sayGoodbye()
    for web in webs { await web.stop(within: limit) }
    let start = ContinuousClock.now
    while !connections.isEmpty, start.duration(to: .now) < limit {
      await LoopTimer.pause(for: .milliseconds(5), on: executor)
    }
    closeAll()
    ticker.stop()
    for store in stores { await store.stop() }
    stores = []
  }

  private func sayGoodbye() {
    for connection in connections.values { connection.assumeIsolated { $0.end(.signal) } }
  }

  private func closeAll() {
    for connection in connections.values { connection.assumeIsolated { $0.close() } }
  }

  /// The store that a request means.
  ///
  /// - Parameter name: Its path as the server was told of it, or absolute; nil where the client left
  ///   it out.
  /// - Returns: The store.
  /// - Throws: ``/HistoryModel/HistoryError`` when there is none, or it cannot be told which one.
  func store(_ name: String?) throws(HistoryError) -> ServedStore {
    if let name {
      if let store = stores.first(where: { $0.isCalled(name) }) { return store }
      throw HistoryError(
        .storeUnavailable, "\(Quotation.of(name)) is not served here", hint: served("served are"))
    }
    guard stores.count == 1, let store = stores.first else {
      throw HistoryError(
        .usage, "several databases are served, and none is named", hint: served("name one of"))
    }
    return store
  }

  /// The databases that are served, as a client can name them.
  private func served(_ introduction: String) -> String {
    let names = stores.prefix(5).map(\.path)
    let rest = stores.count - names.count
    guard !names.isEmpty else { return "none is served at the moment" }
    return "\(introduction): \(names.joined(separator: ", "))"
      + (rest > 0 ? " and \(rest) more" : "")
  }

  /// Asks all stores at once: each may take a second to say that it cannot be read.
  ///
  /// - Parameter question: What to ask.
  /// - Returns: The answers, in the order of the stores.
  func askAll<Answer: Sendable>(
    _ question: @escaping @Sendable (ServedStore) async -> Answer
  ) async -> [Answer] {
    let questions = stores.map { store in
      Task(executorPreference: executor) { await question(store) }
    }
    var answers: [Answer] = []
    for question in questions { answers.append(await question.value) }
    return answers
  }

  /// What it is doing at the moment.
  func gauges() async -> ServerGauges {
    var gauges = gaugesOfConnections
    for web in webs { gauges.streams += await web.streamCount }
    return gauges
  }

  private var gaugesOfConnections: ServerGauges {
    var gauges = ServerGauges(counts: counts)
    for connection in connections.values {
      gauges.connections += 1
      connection.assumeIsolated {
        gauges.subscriptions += $0.subscriptionCount
        gauges.queuedBytes += $0.queuedCount
      }
    }
    return gauges
  }

  /// A request was answered with an error.
  func countError() { counts.errors += 1 }

  /// A reader was told that he is too slow.
  func countSlow() { counts.slow += 1 }
}

extension ServerConfiguration {
  /// How much history is kept.
  func limits(or standard: RetentionLimits) -> RetentionLimits {
    RetentionLimits(age: keep ?? standard.age, bytes: keepSize.map(Int64.init) ?? standard.bytes)
  }
}

extension HistoryError {
  init(refusal: SocketListener.Refusal, _ socket: ServerSettings.Socket) {
    let place =
      switch socket {
      case .path(let path): path
      case .inherited(let inherited): "the socket \(inherited.name)"
      }
    switch refusal {
    case .taken:
      self.init(
        .temporary, "another server listens at \(place)",
        hint: "use that one, stop it, or give this one another --socket")
    case .notASocket:
      self.init(
        .usage, "there is something at \(place) that is no socket",
        hint: "give --socket another path; it was left alone")
    case .badPath(let limit):
      self.init(
        .usage, "a socket's path has between 1 and \(limit) bytes", hint: "use a shorter path")
    case .notListening:
      self.init(
        .usage, "\(place) is not a listening stream socket",
        hint: "give the unit a ListenStream")
    case .failed(let error):
      self.init(
        .temporary, "listening at \(place) failed: \(error.reason)",
        hint: "check that its directory exists and can be written to", cause: error)
    }
  }
}
