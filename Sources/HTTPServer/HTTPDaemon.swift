import CMicroHTTPD
import EventLoop

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Owner of one `MHD_Daemon`, run by our loop.
///
/// libmicrohttpd has its sockets in an epoll set, which the loop polls; it has no thread and no
/// timer of its own. Nothing that is not this module's is called from inside its functions: what
/// there is to tell is told once they have returned, so that whoever is told may do anything.
final class HTTPDaemon: @unchecked Sendable {
  // Sendable so that the last reference to its listener may go anywhere; touched only on the loop.
  let library: UnsafePointer<cmicrohttpd_library>
  let executor: LoopExecutor
  let limits: HTTPLimits
  let watchman: HTTPGuard
  /// Nil once it was stopped, since it may well keep the one who keeps this.
  private(set) var handler: ((HTTPRequest, HTTPExchange) -> Void)?
  /// Everybody who is connected.
  private(set) var connections: [ObjectIdentifier: HTTPConnection] = [:]
  /// How many were told that they are too many, or were not let in at all.
  var refusedCount = 0
  /// Whether nobody new is let in and everybody who was answered leaves.
  private(set) var isLeaving = false
  /// Opened whenever somebody has left.
  var onLeave: (() -> Void)?
  private let socket: ListeningSocket
  /// Nil once it was stopped.
  private var daemon: OpaquePointer?
  private var poll: DescriptorPoll?
  private let timer: LoopTimer
  private let requestTimer: LoopTimer
  private var isWatchingRequests = false
  private var notices: [() -> Void] = []
  private var isTelling = false
  private var isTurnDue = false

  /// Takes over a socket, also when it throws.
  init(
    _ socket: ListeningSocket, limits: HTTPLimits, watchman: HTTPGuard, on executor: LoopExecutor,
    _ handler: @escaping (HTTPRequest, HTTPExchange) -> Void
  ) throws(LoopError) {
    guard let library = MicroHTTPD.library else { throw LoopError("dlopen", number: ENOENT) }
    self.library = library
    self.socket = socket
    self.limits = limits
    self.watchman = watchman
    self.executor = executor
    self.handler = handler
    timer = try LoopTimer(on: executor)
    requestTimer = try LoopTimer(on: executor)
    var callbacks = HTTPDaemon.callbacks
    callbacks.context = Unmanaged.passUnretained(self).toOpaque()
    // One more than are ever let in: at its own limit libmicrohttpd would leave people waiting.
    let most = UInt32(clamping: limits.connections + limits.surplus + 1)
    guard
      let daemon = cmicrohttpd_start(
        library, socket.descriptor, most, limits.connectionBytes, limits.stallSeconds, &callbacks)
    else { throw LoopError("MHD_start_daemon", number: errno) }
    self.daemon = daemon
    do throws(LoopError) {
      let poll = try DescriptorPoll(cmicrohttpd_epoll(library, daemon), on: executor)
      poll.start(.readable) { [unowned self] in turn() }
      self.poll = poll
    } catch {
      stop()
      throw error
    }
    // It looks at its listening socket for the first time when it is run for the first time.
    turn()
  }

  var address: SocketAddress { socket.address }

  /// Whether there is a place for one more.
  var hasPlace: Bool {
    !isLeaving && connections.count < limits.connections + limits.surplus
  }

  /// Lets libmicrohttpd have its turn before the loop sleeps; without threads it wakes nobody itself.
  func turnSoon() {
    guard !isTurnDue else { return }
    isTurnDue = true
    executor.soon { [weak self] in
      self?.isTurnDue = false
      self?.turn()
    }
  }

  /// Lets libmicrohttpd do what can be done now, and tells what came of it.
  private func turn() {
    guard let daemon else { return }
    _ = library.pointee.run(daemon)
    tell()
    arm()
  }

  private func tell() {
    guard !isTelling else { return }
    isTelling = true
    while !notices.isEmpty {
      let waiting = notices
      notices = []
      for notice in waiting { notice() }
    }
    isTelling = false
  }

  /// Calls something once libmicrohttpd has returned.
  func afterwards(_ notice: @escaping () -> Void) { notices.append(notice) }

  private func arm() {
    guard let daemon else { return }
    var milliseconds: UInt64 = 0
    if library.pointee.get_timeout(daemon, &milliseconds) == .YES {
      timer.start(after: .milliseconds(Int64(clamping: milliseconds))) { [unowned self] in turn() }
    } else {
      timer.stop()
    }
  }

  func entered(_ connection: HTTPConnection) {
    connections[ObjectIdentifier(connection)] = connection
    awaitRequest(of: connection)
  }

  func left(_ connection: HTTPConnection) {
    connections[ObjectIdentifier(connection)] = nil
    afterwards { [self] in onLeave?() }
  }

  /// Gives a connection its time until a request is whole.
  ///
  /// libmicrohttpd's own limit begins anew with each byte, so that whoever sends one now and then
  /// would stay for ever.
  func awaitRequest(of connection: HTTPConnection) {
    connection.deadline = ContinuousClock.now + limits.requestTimeout
    guard !isWatchingRequests else { return }
    watchRequests(for: limits.requestTimeout)
  }

  private func watchRequests(for time: Duration) {
    isWatchingRequests = true
    requestTimer.start(after: time) { [unowned self] in
      isWatchingRequests = false
      let now = ContinuousClock.now
      for connection in connections.values where connection.deadline.map({ $0 <= now }) == true {
        connection.cut()
      }
      let next = connections.values.compactMap(\.deadline).filter { $0 > now }.min()
      if let next { watchRequests(for: now.duration(to: next)) }
    }
  }

  /// Lets nobody in any more, and everybody leave once he has his answer.
  func leave() {
    guard let daemon, !isLeaving else { return }
    isLeaving = true
    _ = library.pointee.quiesce_daemon(daemon)
    socket.close()
    for connection in connections.values { connection.leave() }
  }

  /// Closes everything; nothing that was queued goes out.
  func stop() {
    guard let daemon else { return }
    isLeaving = true
    // What libmicrohttpd was told to leave alone must be given back before it ends.
    for connection in connections.values { connection.abort() }
    self.daemon = nil
    handler = nil
    poll?.close()
    timer.stop()
    requestTimer.stop()
    _ = library.pointee.quiesce_daemon(daemon)
    _ = library.pointee.run(daemon)
    library.pointee.stop_daemon(daemon)
    socket.close()
    tell()
  }
}
