import EventLoop
import HistoryModel
import HistoryObservation
import HistoryStore

extension ClientConnection {
  /// Does what a request asks for, and answers.
  ///
  /// - Throws: ``/HistoryModel/HistoryError`` when it cannot be done; nothing was answered then.
  func perform(_ request: WatchRequest) async throws(HistoryError) {
    let envelope = request.envelope
    switch request.operation {
    case .ping: await send(AnswerLine.answer("pong", to: envelope))
    case .hello: try await hello(request)
    case .status: try await status(request)
    case .subscribe(let name, let stream, let consumer):
      try await subscribe(name, stream, consumer, request)
    case .reloads(let name, let timelines, let since):
      try await subscribe(name, timelines, since, request)
    case .results(let name, let results, let isFollowing):
      try await subscribe(name, results, isFollowing, request)
    case .unsubscribe(let name):
      let token = try unsubscribe(name)
      var fields = [("subscription", JSONValue.string(name))]
      if let token { fields.append(("token", .string(token.description))) }
      await send(AnswerLine.answer("unsubscribed", fields, to: envelope))
    case .acknowledge(let consumer, let token):
      try await server.store(request.database).acknowledge(consumer, token)
      let fields: [(String, JSONValue)] = [
        ("consumer", .string(consumer)), ("token", .string(token.description)),
      ]
      await send(AnswerLine.answer("acknowledged", fields, to: envelope))
    case .wait(let token, let timeout): try await wait(token, timeout, request)
    }
  }

  private func hello(_ request: WatchRequest) async throws(HistoryError) {
    let stores = await server.stores
    var fields: [(String, JSONValue)] = [
      ("protocol", 1), ("format", 1), ("version", .string(server.settings.version)),
      ("capabilities", .array(WatchRequest.capabilities.map { .string($0) })),
      ("databases", .array(stores.map { .string($0.path) })),
    ]
    if request.database != nil || stores.count == 1 {
      let store = try await server.store(request.database)
      fields.append(("database", .string(store.path)))
      if let state = try? await store.observed().state() {
        fields += [
          ("store", .string(state.storeIdentifier.description)),
          ("epoch", .integer(Int64(state.epoch))),
          ("oldest", .string(state.oldest.description)),
          ("head", .string(state.head.description)),
        ]
      }
    }
    await send(AnswerLine.answer("hello", fields, to: request.envelope))
  }

  private func status(_ request: WatchRequest) async throws(HistoryError) {
    let store = try await server.store(request.database)
    let report = try await store.report()
    var fields: [(String, JSONValue)] = [("database", .string(store.path))]
    fields += report.members.map { ($0.name, $0.value) }
    fields.append(("server", .object(await server.gauges().object)))
    await send(AnswerLine.answer("status", fields, to: request.envelope))
  }

  private func subscribe(
    _ name: String, _ stream: StreamRequest, _ consumer: String?, _ request: WatchRequest
  ) async throws(HistoryError) {
    try check(name)
    let store = try await server.store(request.database)
    let hub = try await store.observed().hub
    let subscription = try Self.making { () throws(LoopError) in
      try EventSubscription(stream, of: hub, to: SocketSink(self, subscription: name))
    }
    try await subscription.open(consumer: consumer)
    await send(subscribed(name, store, request))
    keep(subscription, as: name) { await subscription.run() }
  }

  private func subscribe(
    _ name: String, _ results: ResultsRequest, _ isFollowing: Bool, _ request: WatchRequest
  ) async throws(HistoryError) {
    try check(name)
    let store = try await server.store(request.database)
    let hub = try await store.observed().hub
    let subscription = try Self.making { () throws(LoopError) in
      try ResultsSubscription(of: hub, to: SocketSink(self, subscription: name))
    }
    try await subscription.open(results)
    await send(subscribed(name, store, request))
    keep(subscription, as: name) { await subscription.run(isFollowing: isFollowing) }
  }

  private func subscribe(
    _ name: String, _ names: [String], _ since: HistoryToken?, _ request: WatchRequest
  ) async throws(HistoryError) {
    try check(name)
    let store = try await server.store(request.database)
    let timelines = try await store.timelines(names)
    let subscription = try Self.making { [executor] () throws(LoopError) in
      try ReloadSubscription(to: SocketSink(self, subscription: name), on: executor)
    }
    await send(subscribed(name, store, request))
    keep(subscription, as: name) {
      for timeline in timelines { await timeline.add(subscription, since: since) }
      await subscription.run()
      for timeline in timelines { await timeline.remove(subscription) }
    }
  }

  private func subscribed(
    _ name: String, _ store: ServedStore, _ request: WatchRequest
  ) -> [UInt8] {
    AnswerLine.answer(
      "subscribed", [("subscription", .string(name)), ("database", .string(store.path))],
      to: request.envelope)
  }

  private static func making<T>(
    _ body: () throws(LoopError) -> sending T
  ) throws(HistoryError) -> sending T {
    do throws(LoopError) {
      return try body()
    } catch {
      throw HistoryError(
        .temporary, "the server cannot take one more: \(error.reason)",
        hint: "end another one, or raise the server's limit of open files", cause: error)
    }
  }

  private func wait(
    _ token: HistoryToken, _ timeout: Duration?, _ request: WatchRequest
  ) async throws(HistoryError) {
    let hub = try await server.store(request.database).observed().hub
    try later { [executor] in
      let waiting = Task(executorPreference: executor) { try await hub.waitUntil(token) }
      let clock = timeout.map { limit in
        Task(executorPreference: executor) {
          try await LoopTimer.sleep(for: limit, on: executor)
          waiting.cancel()
        }
      }
      let result = await withTaskCancellationHandler {
        await waiting.result
      } onCancel: {
        waiting.cancel()
      }
      clock?.cancel()
      await self.waited(token, result, request.envelope)
    }
  }

  private func waited(
    _ token: HistoryToken, _ result: Result<Void, any Error>, _ envelope: RequestEnvelope
  ) async {
    switch result {
    case .success:
      await send(
        AnswerLine.answer("seen", [("token", .string(token.description))], to: envelope))
    case .failure(let error):
      let failure =
        error as? HistoryError
        ?? HistoryError(.temporary, "the wait failed: \(error)", hint: "try again")
      await refuse(failure, envelope)
    }
  }
}

extension WatchRequest {
  /// What the server can do.
  static let capabilities = operations
}

extension ServerGauges {
  /// As a JSON object.
  var object: JSONObject {
    JSONObject([
      .init(name: "connections", value: .integer(Int64(connections))),
      .init(name: "subscriptions", value: .integer(Int64(subscriptions))),
      .init(name: "streams", value: .integer(Int64(streams))),
      .init(name: "queuedBytes", value: .integer(Int64(queuedBytes))),
      .init(name: "accepted", value: .integer(Int64(counts.accepted))),
      .init(name: "refused", value: .integer(Int64(counts.refused))),
      .init(name: "errors", value: .integer(Int64(counts.errors))),
      .init(name: "slow", value: .integer(Int64(counts.slow))),
    ])
  }
}
