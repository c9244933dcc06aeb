import EventLoop
import HTTPServer
import HistoryModel
import HistoryObservation

/// Answers browsers and collectors of metrics. It lives on the loop.
actor WebServer {
  nonisolated let executor: LoopExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  private let server: WatchServer
  private var listener: HTTPListener?
  private var streams: [Int: EventSubscription] = [:]
  private var lastStream = 0
  private var isStopping = false
  /// What was asked before there was anything to tell; nil once there is.
  private var early: [(request: HTTPRequest, exchange: HTTPExchange)]? = []

  init(_ server: WatchServer) {
    self.server = server
    executor = server.executor
  }

  /// Listens.
  ///
  /// Who asks is answered after ``open()``: a server that has not come to its stores would say that it has
  /// none, and that all of them are well.
  ///
  /// - Parameter web: Where, and to whom.
  /// - Returns: Where it listens.
  /// - Throws: ``/HistoryModel/HistoryError`` when it cannot.
  func start(_ web: ServerSettings.Web) throws(HistoryError) -> String {
    let handler = { [weak self] (request: HTTPRequest, exchange: HTTPExchange) in
      self?.assumeIsolated { $0.answer(request, exchange) } ?? ()
    }
    let access = HTTPAccess(
      hosts: web.hosts, token: web.token, openPaths: Set(PageFile.all.map(\.path)))
    let listener =
      switch web.place {
      case .address(let address):
        try HTTPListener(address, access: access, on: executor, handler)
      case .inherited(let socket):
        try HTTPListener(taking: socket, access: access, on: executor, handler)
      }
    self.listener = listener
    return "\(listener.address)"
  }

  /// Answers from now on, those first who had to wait.
  func open() {
    let waiting = early ?? []
    early = nil
    for (request, exchange) in waiting { answer(request, exchange) }
  }

  /// How many events are being streamed to.
  var streamCount: Int { streams.count }

  /// How many wait for ``open()``.
  var waitingCount: Int { early?.count ?? 0 }

  private func answer(_ request: HTTPRequest, _ exchange: HTTPExchange) {
    if early != nil {
      early?.append((request, exchange))
      return
    }
    if let file = PageFile.all.first(where: { $0.path == request.path }) {
      return exchange.respond(file.response)
    }
    switch request.path {
    case "/events": later { await self.stream(request, exchange) }
    case "/log": later { await self.log(request, exchange) }
    case "/status":
      later { exchange.respond(.json(await ServerStatus(self.server).json)) }
    case "/metrics":
      later {
        let text = await ServerMetrics(self.server).text
        exchange.respond(
          HTTPResponse(contentType: PrometheusText.contentType, body: text.bytes))
      }
    case "/healthz": later { exchange.respond(await ServerStatus(self.server).health) }
    default: exchange.respond(.notFound)
    }
  }

  private func later(_ body: @escaping @Sendable () async -> Void) {
    Task(executorPreference: executor) { await body() }
  }

  private func log(_ request: HTTPRequest, _ exchange: HTTPExchange) async {
    do throws(HistoryError) {
      let query = try LogQuery(request)
      let hub = try await server.store(query.database).observed().hub
      var pages = try await LogPages(query, of: hub)
      while exchange.isOpen, try await pages.readOn() {}
      exchange.respond(HTTPResponse(contentType: LogPages.contentType, body: pages.lines))
    } catch {
      exchange.respond(HTTPResponse(error, HTTPStatus(error.code)))
    }
  }

  private func stream(_ request: HTTPRequest, _ exchange: HTTPExchange) async {
    do {
      let query = try EventQuery(request)
      let hub = try await server.store(query.database).observed().hub
      let sink = EventStreamSink()
      let subscription = try EventSubscription(query.request, of: hub, to: sink)
      // Whoever cannot begin is answered with a status, and not with a stream.
      try await subscription.open(consumer: query.consumer)
      guard exchange.isOpen else { return }
      let stream = exchange.stream(contentType: ServerSentEvents.contentType)
      sink.begin(stream)
      stream.onEnd = { [weak subscription] _ in
        sink.wake()
        subscription?.assumeIsolated { $0.end(nil) }
      }
      await run(subscription)
      stream.finish()
    } catch let error as HistoryError {
      exchange.respond(HTTPResponse(error, HTTPStatus(error.code)))
    } catch {
      exchange.respond(
        HTTPResponse(
          HistoryError(.temporary, "no stream can be had: \(error)", hint: "try again"),
          .unavailable))
    }
  }

  private func run(_ subscription: EventSubscription) async {
    lastStream += 1
    let number = lastStream
    streams[number] = subscription
    // It may have been opened while all the others were told goodbye.
    if isStopping { await subscription.end(.signal) }
    await subscription.run()
    streams[number] = nil
  }

  /// Says goodbye to everybody, and closes.
  ///
  /// - Parameter limit: How long to wait for readers.
  func stop(within limit: Duration) async {
    isStopping = true
    for subscription in streams.values { await subscription.end(.signal) }
    await listener?.shutDown(within: limit)
    listener = nil
  }
}

extension HTTPStatus {
  /// The status that tells a failure.
  fileprivate init(_ code: HistoryError.Code) {
    switch code {
    case .usage, .invalidToken, .foreignToken: self = .badRequest
    case .historyTokenExpired: self = .gone
    case .noSuchConsumer: self = .notFound
    default: self = .unavailable
    }
  }
}
