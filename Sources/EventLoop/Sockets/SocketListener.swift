import CLibUV

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Takes connections at an address.
///
/// ```swift
/// let listener = try SocketListener(.local(path: path), on: executor)
/// while true {
///   let connection = try await listener.accept()
///   …
/// }
/// ```
///
/// It takes a connection only when it is asked for one; the others wait in the kernel. Confined to
/// the loop.
public final class SocketListener {
  /// Why there is no listener.
  public enum Refusal: Error, Equatable, Sendable {
    /// Somebody listens there already.
    case taken
    /// There is something at the path that is no socket; it was left alone.
    case notASocket
    /// The path is empty, has a NUL in it, or has more bytes than the limit.
    case badPath(limit: Int)
    /// The descriptor that was handed over is no listening stream socket.
    case notListening
    /// The system refused.
    case failed(LoopError)
  }

  /// Where it listens, with the port that the system chose if it was to choose one.
  public let address: SocketAddress
  /// How many were turned away since no descriptor was left for them.
  public private(set) var turnedAwayCount = 0

  private let socket: LoopSocket
  private let queueLimit: Int
  /// Whether somebody else has it too, for whom it must go on to listen.
  private let isShared: Bool
  private var file: SocketFile?
  /// Given up for a moment to tell somebody that there is no descriptor left.
  private var spare: CInt
  private var waiter: Suspension<LoopError>?

  /// Begins to listen.
  ///
  /// A local socket that nobody listens at any more is replaced. While another process starts in
  /// the same directory, the loop stands still for a tenth of a second at most.
  ///
  /// - Parameters:
  ///   - address: Where.
  ///   - permissions: Who may connect to a local socket, from the moment it exists. For a path
  ///     only.
  ///   - queueLimit: How many bytes each of its connections may have to send.
  ///   - executor: The loop that it lives on.
  /// - Throws: ``Refusal``.
  public init(
    _ address: SocketAddress, permissions: UInt16 = 0o600,
    queueLimit: Int = SocketConnection.usualQueueLimit,
    on executor: LoopExecutor
  ) throws(Refusal) {
    guard let storage = address.storage else {
      throw .badPath(limit: SocketAddress.pathLimit)
    }
    do throws(LoopError) {
      socket = try LoopSocket(StreamSocket.make(storage.family), on: executor)
    } catch { throw .failed(error) }
    if case .local(let path) = address {
      file = try SocketFile.listen(socket.descriptor, at: path, permissions: mode_t(permissions))
    } else {
      try Self.listen(socket.descriptor, at: storage)
    }
    self.address = (try? SocketAddress(of: socket.descriptor)) ?? address
    isShared = false
    self.queueLimit = queueLimit
    spare = Self.openSpare()
    socket.onReady = { [weak self] _ in self?.becameReady() }
  }

  /// Binds a socket that no file belongs to, and lets it listen.
  static func listen(
    _ descriptor: CInt, at storage: SocketAddress.Storage
  ) throws(Refusal) {
    // Connections that have ended keep the port for a minute otherwise.
    if storage.family != AF_UNIX { StreamSocket.set(descriptor, SOL_SOCKET, SO_REUSEADDR) }
    if storage.family == AF_INET6 {
      StreamSocket.set(descriptor, CInt(IPPROTO_IPV6), IPV6_V6ONLY)
    }
    var failure = StreamSocket.bind(descriptor, storage)
    if failure == 0 { failure = StreamSocket.listen(descriptor) }
    guard failure == 0 else {
      throw failure == EADDRINUSE ? .taken : .failed(LoopError("bind", number: failure))
    }
  }

  /// Listens at a socket that the service manager made, which stays where it is afterwards.
  ///
  /// - Parameters:
  ///   - inherited: The socket; it must not be used otherwise from now on.
  ///   - queueLimit: How many bytes each of its connections may have to send.
  ///   - executor: The loop that it lives on.
  /// - Throws: ``Refusal``, with `notListening` for any other kind of descriptor.
  public init(
    taking inherited: InheritedSocket, queueLimit: Int = SocketConnection.usualQueueLimit,
    on executor: LoopExecutor
  ) throws(Refusal) {
    let descriptor = inherited.descriptor
    guard StreamSocket.option(SO_TYPE, of: descriptor) == StreamSocket.kind,
      StreamSocket.option(SO_ACCEPTCONN, of: descriptor) == 1
    else { throw .notListening }
    do throws(LoopError) {
      address = try SocketAddress(of: descriptor)
      socket = try LoopSocket(descriptor, on: executor)
    } catch { throw .failed(error) }
    isShared = true
    self.queueLimit = queueLimit
    spare = Self.openSpare()
    socket.onReady = { [weak self] _ in self?.becameReady() }
  }

  deinit { close() }

  /// Takes no more connections, and removes the file that it made, if it is still that one.
  ///
  /// Those that were taken live on. A waiting ``accept()`` throws `ECANCELED`.
  public func close() {
    guard socket.isOpen else { return }
    file.take()?.remove()
    // A child that was forked a moment ago has a copy until it execs, and would go on to listen.
    if !isShared { shutdown(socket.descriptor, CInt(SHUT_RDWR)) }
    socket.close()
    if spare >= 0 { closeDescriptor(spare) }
    waiter.take()?.resume(.failure(LoopError("accept", number: ECANCELED)))
  }

  /// Waits for the next connection.
  ///
  /// One wait at a time. Whoever connects while the process has no descriptor left is turned away
  /// at once, rather than left waiting.
  ///
  /// - Returns: The connection.
  /// - Throws: ``LoopError``, with `ECANCELED` if the task was cancelled or the listener closed.
  public nonisolated(nonsending) func accept() async throws(LoopError) -> sending SocketConnection {
    precondition(waiter == nil, "A wait for a connection is going on already.")
    while true {
      // Also when somebody waits already: the other tasks of the loop have their turn first.
      try await ready()
      let descriptor = StreamSocket.accept(socket.descriptor)
      if descriptor >= 0 {
        return try SocketConnection(
          descriptor, address: address, queueLimit: queueLimit, on: socket.executor)
      }
      switch errno {
      case EMFILE where spare >= 0: turnAway()
      case EMFILE, ENFILE, ENOBUFS, ENOMEM:
        // Nothing tells when there is one again.
        await LoopTimer.pause(for: .milliseconds(50), on: socket.executor)
        if spare < 0 { spare = Self.openSpare() }
      case EAGAIN, EINTR, ECONNABORTED, EPROTO, EPERM: break
      case let number: throw LoopError("accept", number: number)
      }
    }
  }

  private nonisolated(nonsending) func ready() async throws(LoopError) {
    socket.executor.checkIsolated()
    let cancelled = LoopError("accept", number: ECANCELED)
    guard socket.isOpen else { throw cancelled }
    defer { waiter = nil }
    try await Suspension<LoopError>.wait(on: socket.executor, cancelledAs: cancelled) {
      waiter = $0
      socket.wait(for: .readable)
    }
    // It may have been closed before this task had its turn.
    guard socket.isOpen else { throw cancelled }
  }

  private func becameReady() {
    // Nobody asks for a connection at the moment: it waits in the kernel.
    if let waiter { waiter.resume(.success(())) } else { socket.forget(.readable) }
  }

  /// Takes a connection with the spare descriptor and closes it.
  private func turnAway() {
    closeDescriptor(spare)
    let descriptor = StreamSocket.accept(socket.descriptor)
    if descriptor >= 0 {
      closeDescriptor(descriptor)
      turnedAwayCount += 1
    }
    spare = Self.openSpare()
  }

  private static func openSpare() -> CInt { open("/dev/null", O_RDONLY | O_CLOEXEC) }
}

extension SocketListener.Refusal: CustomStringConvertible {
  /// One sentence about it.
  public var description: String {
    switch self {
    case .taken: "Somebody listens there already."
    case .notASocket: "There is something else than a socket at that path."
    case .badPath(let limit): "A socket's path has between 1 and \(limit) bytes."
    case .notListening: "The descriptor that was handed over is no listening stream socket."
    case .failed(let error): "Listening failed: \(error)."
    }
  }
}
