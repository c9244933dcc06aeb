import EventLoop
import HistoryModel
import HistoryObservation
import TimelineReload

/// One reader who is told when to refresh. It lives on the loop.
///
/// For a slow one what comes meanwhile grows together into one reload of each timeline.
actor ReloadSubscription: Subscription {
  nonisolated let executor: LoopExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  private let sink: any LineSink
  private let gate: LoopGate
  /// What was not sent, in the order in which it came.
  private var pending: [Reload] = []
  private var isWaitingForRoom = false
  private var ending: ByeReason??
  /// The position of the last reload that was sent.
  private(set) var token: HistoryToken?

  init(to sink: any LineSink, on executor: LoopExecutor) throws(LoopError) {
    self.sink = sink
    self.executor = executor
    gate = try LoopGate(on: executor)
  }

  /// Runs to the end.
  func run() async {
    while ending == nil {
      if isWaitingForRoom {
        let isThere = await sink.room()
        isWaitingForRoom = false
        if isThere { send() } else { end(nil) }
      } else {
        _ = await gate.wait(for: nil)
      }
    }
    guard let reason = ending ?? nil else { return }
    var lines = LineEncoder()
    lines.bye(reason, token: token)
    await sink.sendLast(EncodedLines(lines.bytes))
  }

  func end(_ reason: ByeReason?) {
    guard ending == nil else { return }
    ending = .some(reason)
    gate.open()
  }

  /// Whether it has ended, or is about to.
  var isEnded: Bool { ending != nil }

  /// Tells the reader, at once or when there is room.
  func tell(_ reload: Reload) {
    guard ending == nil else { return }
    if let place = pending.firstIndex(where: { $0.kind == reload.kind }) {
      pending[place] = pending[place].merged(with: reload)
    } else {
      pending.append(reload)
    }
    send()
  }

  private func send() {
    while ending == nil, !isWaitingForRoom, let reload = pending.first {
      let line = AnswerLine.answer("reload", reload.fields, to: RequestEnvelope())
      switch sink.offer(EncodedLines(line)) {
      case .taken:
        pending.removeFirst()
        token = reload.range.until
      case .gone: end(nil)
      case .full:
        isWaitingForRoom = true
        gate.open()
      }
    }
  }
}

extension Reload {
  /// Both as one, for a reader who has not got the first.
  fileprivate func merged(with later: Reload) -> Reload {
    var range = range
    range.merge(later.range)
    let reason = self.reason == .reset ? .reset : later.reason
    return Reload(kind: kind, reason: reason, range: range, attempt: later.attempt)
  }

  /// What a line says of it.
  fileprivate var fields: [(String, JSONValue)] {
    var fields: [(String, JSONValue)] = [
      ("timeline", .string(kind)), ("reason", .string(reason.description)),
    ]
    // What a reset covers nobody knows.
    if reason != .reset { fields.append(("since", .string(range.since.description))) }
    fields += [
      ("until", .string(range.until.description)),
      ("transactions", .integer(Int64(range.transactions))),
      ("changes", .integer(Int64(range.changes))),
      ("tables", .array(range.tables.map { .string($0) })),
      ("authors", .array(range.authors.map { $0.map { .string($0) } ?? .null })),
    ]
    return fields
  }
}
