#if NATS
  private import CNATS
  import EventLoop
  import HistoryModel
  import HistorySync

  /// One connection to a NATS server, which asks and is answered.
  ///
  /// The library connects, writes and closes in calls that may block, so they are made on a thread of
  /// the connection's own; what comes arrives on a thread of the library's. Both hand over to the loop.
  /// A connection that is lost stays so: whoever needs another makes one, and looks where he stands.
  final class NATSConnection: @unchecked Sendable {
    // Sendable since `handle` and `inboxes` are touched only on `thread`, and everything else that
    // changes only on the loop.
    private let options: JetStreamOptions
    private let executor: LoopExecutor
    private let thread: LoopExecutor
    private let gate: LoopGate
    private let inbox: String
    private let onLoss: () -> Void
    private var handle: OpaquePointer?
    private var inboxes: OpaquePointer?
    private var connecting: Result<Int, RelayFailure>?
    private var arrived: [NATSMessage] = []
    private(set) var isLost = false
    private var number = 0
    /// How many bytes a message may have, header and body.
    private(set) var maxPayload = 0
    /// What messages arrive under that were not asked for one by one.
    var deliverySubject: String { "\(inbox).0" }

    /// How long to wait for an answer.
    static let patience = Duration.seconds(5)

    /// Prepares a connection, which is not made yet.
    ///
    /// - Parameters:
    ///   - options: Where to.
    ///   - executor: The loop of whoever uses it.
    ///   - onLoss: Called on the loop when it is lost.
    /// - Throws: `RelayFailure` when there is no thread for it.
    init(
      _ options: JetStreamOptions, on executor: LoopExecutor, onLoss: @escaping () -> Void
    ) throws(RelayFailure) {
      self.options = options
      self.onLoss = onLoss
      self.executor = executor
      do throws(LoopError) {
        gate = try LoopGate(on: executor)
        thread = try LoopExecutor.onOwnThread(name: "nats")
      } catch {
        throw .failed(.noThread("\(error)"))
      }
      inbox = "_INBOX.hw\(StoreIdentifier().description.filter { $0 != "-" })"
    }

    deinit { thread.letGo() }

    /// Connects.
    nonisolated(nonsending) func connect() async throws(RelayFailure) {
      thread.perform { [self] in
        let result = Result { () throws(RelayFailure) in try connectHere() }
        executor.perform { [self] in
          connecting = result
          gate.open()
        }
      }
      while connecting == nil, !isLost { _ = await gate.wait(for: nil) }
      guard !isLost else { throw .lost(.connectionLost(options.address.hosts)) }
      maxPayload = try connecting?.get() ?? 0
    }

    /// Sends a message and waits for the answer to it.
    ///
    /// - Throws: `RelayFailure.lost` when none comes.
    nonisolated(nonsending) func ask(
      _ subject: String, fields: [(String, String)] = [], _ body: [UInt8] = []
    ) async throws(RelayFailure) -> NATSMessage {
      number += 1
      let reply = "\(inbox).\(number)"
      send(subject, reply: reply, fields: fields, body)
      let start = ContinuousClock.now
      while !isLost {
        if let place = arrived.firstIndex(where: { $0.subject == reply }) {
          return arrived.remove(at: place)
        }
        let left = Self.patience - start.duration(to: .now)
        guard left > .zero else { break }
        _ = await gate.wait(for: left)
      }
      let hosts = options.address.hosts
      throw .lost(isLost ? .connectionLost(hosts) : .noAnswer(hosts))
    }

    /// Sends a message.
    func send(_ subject: String, reply: String, fields: [(String, String)] = [], _ body: [UInt8]) {
      thread.perform { [self] in
        if !sendHere(subject, reply, fields, body) { executor.perform { [self] in lose() } }
      }
    }

    /// Waits for a message that was not asked for one by one.
    ///
    /// - Parameter limit: How long to wait.
    /// - Returns: nil when none came.
    /// - Throws: `RelayFailure.lost` when the connection is.
    nonisolated(nonsending) func delivery(
      within limit: Duration
    ) async throws(RelayFailure) -> NATSMessage? {
      let start = ContinuousClock.now
      while !isLost {
        if let place = arrived.firstIndex(where: { !isAnswer($0) }) {
          return arrived.remove(at: place)
        }
        let left = limit - start.duration(to: .now)
        guard left > .zero else { return nil }
        _ = await gate.wait(for: left)
      }
      throw .lost(.connectionLost(options.address.hosts))
    }

    /// Lets what was delivered and not taken fall.
    func dropDeliveries() { arrived.removeAll { !isAnswer($0) } }

    /// Closes the connection; whoever waits is told that it is lost.
    func close() {
      lose()
      thread.perform { [self] in closeHere() }
    }

    private func isAnswer(_ message: NATSMessage) -> Bool {
      message.subject.hasPrefix(inbox) && message.subject != deliverySubject
    }

    private func lose() {
      if isLost { return }
      isLost = true
      arrived = []
      gate.open()
      onLoss()
    }

    private func take(_ message: NATSMessage) {
      // An answer that nobody waits for any more is dropped.
      if isLost || isAnswer(message) && message.subject != "\(inbox).\(number)" { return }
      arrived.append(message)
      gate.open()
    }
  }

  /// What is done on the connection's own thread.
  extension NATSConnection {
    private func connectHere() throws(RelayFailure) -> Int {
      let settings = try NATSSettings(options)
      // Given back when the library tells that the connection is closed.
      let watcher = Unmanaged.passRetained(
        NATSMailbox { [weak self, executor] _ in executor.perform { [weak self] in self?.lose() } })
      natsOptions_SetClosedCB(settings.handle, natsClosed, watcher.toOpaque())
      let status = natsConnection_Connect(&handle, settings.handle)
      guard status == NATS_OK, let handle else {
        watcher.release()
        throw failure(status)
      }
      let mailbox = Unmanaged.passRetained(
        NATSMailbox { [weak self, executor] message in
          guard let message else { return }
          executor.perform { [weak self] in self?.take(message) }
        })
      guard
        natsConnection_Subscribe(&inboxes, handle, "\(inbox).*", natsArrived, mailbox.toOpaque())
          == NATS_OK
      else {
        mailbox.release()
        closeHere()
        throw .lost(.connectionLost(options.address.hosts))
      }
      natsSubscription_SetOnCompleteCB(inboxes, natsMailboxDone, mailbox.toOpaque())
      // What is in the mailbox is bounded by what was asked for.
      natsSubscription_SetPendingLimits(inboxes, -1, -1)
      return Int(natsConnection_GetMaxPayload(handle))
    }

    private func failure(_ status: natsStatus) -> RelayFailure {
      let hosts = options.address.hosts
      switch status {
      case NATS_CONNECTION_AUTH_FAILED, NATS_NOT_PERMITTED: return .failed(.refusedUser(hosts))
      default:
        let reason = natsStatus_GetText(status).map { String(cString: $0) } ?? "unknown"
        return .lost(.unreachable(hosts, reason))
      }
    }

    private func sendHere(
      _ subject: String, _ reply: String, _ fields: [(String, String)], _ body: [UInt8]
    ) -> Bool {
      guard let handle else { return false }
      var message: OpaquePointer?
      let status = body.withUnsafeBytes { bytes in
        natsMsg_Create(
          &message, subject, reply, bytes.bindMemory(to: CChar.self).baseAddress,
          CInt(bytes.count))
      }
      guard status == NATS_OK else { return false }
      defer { natsMsg_Destroy(message) }
      for (name, value) in fields {
        guard natsMsgHeader_Set(message, name, value) == NATS_OK else { return false }
      }
      return natsConnection_PublishMsg(handle, message) == NATS_OK
    }

    private func closeHere() {
      if let inboxes { natsSubscription_Destroy(inboxes) }
      inboxes = nil
      if let handle { natsConnection_Destroy(handle) }
      handle = nil
    }
  }

  /// Takes what the library's threads bring: a message, or nil for the end of the connection.
  private final class NATSMailbox: Sendable {
    let take: @Sendable (NATSMessage?) -> Void

    init(_ take: @escaping @Sendable (NATSMessage?) -> Void) { self.take = take }
  }

  private func natsArrived(
    _: OpaquePointer?, _: OpaquePointer?, message: OpaquePointer?, mailbox: UnsafeMutableRawPointer?
  ) {
    guard let message, let mailbox else { return }
    let copy = NATSMessage(copying: message, fields: JetStreamFields.all)
    natsMsg_Destroy(message)
    Unmanaged<NATSMailbox>.fromOpaque(mailbox).takeUnretainedValue().take(copy)
  }

  private func natsMailboxDone(_ mailbox: UnsafeMutableRawPointer?) {
    if let mailbox { Unmanaged<NATSMailbox>.fromOpaque(mailbox).release() }
  }

  private func natsClosed(_: OpaquePointer?, watcher: UnsafeMutableRawPointer?) {
    guard let watcher else { return }
    Unmanaged<NATSMailbox>.fromOpaque(watcher).takeRetainedValue().take(nil)
  }
#endif
