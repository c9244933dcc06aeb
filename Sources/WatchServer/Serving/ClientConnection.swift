import EventLoop
import HistoryModel
import HistoryObservation

/// One client on a socket: its requests, and the subscriptions that answer them.
///
/// Requests are done one after the other, and no more are read while answers wait for a client that
/// does not read them. It lives on the loop.
actor ClientConnection {
  /// How many subscriptions and how many waits it may have at once.
  static let limit = 64

  nonisolated let executor: LoopExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  let server: WatchServer
  private let number: Int
  private let socket: SocketConnection
  var subscriptions: [String: any Subscription] = [:]
  var waits: [Int: Task<Void, Never>] = [:]
  var lastWait = 0
  /// How many bytes were offered when there was last no room for them.
  private var refusedCount = 0
  private var stall = StallDetector()
  /// When it was first found that he does not read.
  private var slowSince: Duration?
  var isEnding = false
  /// What the last line says; nil for no such line.
  private var bye: ByeReason?
  /// Whether the client sends no more.
  private var isInputAtEnd = false
  var quiet: CheckedContinuation<Void, Never>?

  init(_ number: Int, _ socket: sending SocketConnection, of server: WatchServer) {
    self.number = number
    self.socket = socket
    self.server = server
    executor = server.executor
  }

  var subscriptionCount: Int { subscriptions.count }
  var queuedCount: Int { socket.queuedCount }

  /// Serves the client to the end.
  func run() async {
    var splitter = LineSplitter(limit: WatchRequest.sizeLimit)
    reading: while !isEnding {
      guard let bytes = try? await socket.read(), !isEnding else { break }
      if bytes.isEmpty {
        isInputAtEnd = true
        break
      }
      splitter.append(bytes)
      while let line = splitter.next() {
        guard await take(line) else { break reading }
      }
    }
    if isInputAtEnd, !isEnding {
      needsLooking()
      await untilFree()
    }
    await finish()
  }

  /// Does what a line asks for.
  ///
  /// - Returns: Whether to read on.
  private func take(_ line: LineSplitter.Line) async -> Bool {
    switch line {
    case .tooLong:
      await refuse(
        HistoryError(
          .usage, "a request has at most \(WatchRequest.sizeLimit) bytes", hint: .seeProtocol),
        RequestEnvelope())
      end(.error)
      return false
    case .whole(let bytes):
      // Lines that are blank ask for nothing.
      if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x0d || $0 == 0x09 }) { return true }
      do throws(WatchRequest.Refusal) {
        let request = try WatchRequest(line: bytes)
        do throws(HistoryError) {
          try await perform(request)
        } catch {
          await refuse(error, request.envelope)
        }
      } catch {
        await refuse(error.error, error.envelope)
      }
      return !isEnding
    }
  }

  func refuse(_ error: HistoryError, _ envelope: RequestEnvelope) async {
    await server.countError()
    await send(AnswerLine.error(error, to: envelope))
  }

  /// Sends an answer, and waits until there is room for it.
  func send(_ line: [UInt8]) async {
    while !isEnding {
      guard offer(line) == .full, await room() else { return }
    }
  }

  func offer(_ bytes: [UInt8]) -> SinkOffer {
    switch socket.offer(bytes) {
    case .taken:
      refusedCount = 0
      if socket.queuedCount > 0 { needsLooking() }
      return .taken
    case .full:
      refusedCount = bytes.count
      needsLooking()
      return .full
    case .gone:
      gone()
      return .gone
    }
  }

  /// Waits until much of what waits has gone out, and what was refused last would be taken.
  func room() async -> Bool {
    // What is larger than all that may wait is taken while nothing else does.
    let level = max(0, min(Self.lowWater, SocketConnection.usualQueueLimit - refusedCount))
    do throws(OutputError) {
      try await socket.drained(to: level)
      return true
    } catch {
      // One who was let go is still to be told so.
      if slowSince == nil { gone() }
      return false
    }
  }

  /// As much as may wait when more is read for a reader.
  private static let lowWater = 64 << 10

  private func needsLooking() { server.assumeIsolated { $0.tick() } }

  /// Looks whether the client is still there, and takes what waits for it.
  ///
  /// - Returns: Whether to look again.
  func lookAfter(now: Duration) -> Bool {
    if isInputAtEnd, socket.isPeerGone { gone() }
    guard socket.isOpen else { return false }
    let isWaiting = socket.queuedCount > 0
    guard stall.hasStalled(sent: socket.sentCount, isWaiting: isWaiting, now: now) else {
      return isWaiting || isInputAtEnd
    }
    guard let slowSince else {
      slowSince = now
      letGo()
      return true
    }
    // He was told, and has not even taken that.
    guard now - slowSince >= StallDetector.patience else { return true }
    gone()
    return false
  }

  /// Ends it with a client who does not read: what he has not taken is dropped, and he finds the
  /// reason behind what he has, should he come back within a minute.
  private func letGo() {
    server.assumeIsolated {
      $0.countSlow()
      $0.log.say(.warning, "a reader took nothing for a minute, and was let go")
    }
    // One farewell for all: those of the subscriptions would wait for room.
    endSubscriptions(nil)
    end(.slow)
    socket.dropLines()
  }

  /// The client is not there any more.
  private func gone() {
    isEnding = true
    endSubscriptions(nil)
    socket.close()
    quiet.take()?.resume()
  }

  /// Ends it, and tells the client why.
  func end(_ reason: ByeReason) {
    guard !isEnding else { return }
    isEnding = true
    endSubscriptions(reason)
    quiet.take()?.resume()
    // A read that waits for the next request ends.
    socket.stopReading()
    bye = reason
  }

  private func endSubscriptions(_ reason: ByeReason?) {
    for subscription in subscriptions.values {
      subscription.assumeIsolated { $0.end(reason) }
    }
    for wait in waits.values { wait.cancel() }
  }

  /// Whether something must end before the connection may: what still answers the client, and
  /// after the end only what still says goodbye to him.
  var isHeldUp: Bool {
    isEnding ? !subscriptions.isEmpty && socket.isOpen : !subscriptions.isEmpty || !waits.isEmpty
  }

  private func untilFree() async {
    while isHeldUp {
      await withCheckedContinuation { continuation in
        // Looked at once more: on the way in here other jobs of the loop may have had their turn.
        if isHeldUp { quiet = continuation } else { continuation.resume() }
      }
    }
  }

  /// Waits until all subscriptions have said goodbye, says it too, and closes once all is out.
  private func finish() async {
    isEnding = true
    endSubscriptions(bye)
    await untilFree()
    if socket.isOpen, let bye {
      var lines = LineEncoder()
      lines.bye(bye, token: nil)
      _ = socket.offer(lines.bytes)
    }
    socket.finish()
    try? await socket.drained()
    if bye == .error { await readAway() }
    socket.close()
  }

  /// Reads and drops what the client still sends: closed with some of it unread, the kernel would
  /// take back what the client has not read yet.
  private func readAway() async {
    guard let timer = try? LoopTimer(on: executor) else { return }
    timer.start(after: .seconds(1)) { [weak self] in self?.assumeIsolated { $0.socket.close() } }
    while let bytes = try? await socket.read(), !bytes.isEmpty {}
    timer.stop()
  }

  func close() { gone() }
}
