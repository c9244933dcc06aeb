import CMicroHTTPD
package import EventLoop

/// An answer that goes on.
///
/// What is sent waits in a queue with a limit until the client reads; a client that does not read
/// costs no more than that, and the others nothing. The bytes of one message may be shared by many
/// streams.
package final class HTTPStream: @unchecked Sendable {
  // Sendable so that an actor on the loop can take it in; everything is for the loop.

  /// What became of a message, as for sockets.
  package typealias Offer = SocketConnection.Offer

  /// Why a stream has ended.
  package enum Ending: Hashable, Sendable {
    /// It was finished, and all that waited has gone out.
    case finished
    /// The client went.
    case peerGone
    /// The client took nothing for longer than is allowed.
    case stalled
    /// The server was stopped, or the stream closed.
    case stopped
  }

  private enum State {
    case open
    /// Nothing is added any more; it ends when all is out.
    case finishing
    /// Nothing goes out any more.
    case cancelled(Ending)
    case ended
  }

  /// How many bytes may wait for the client to read.
  package let limit: Int
  /// Called, on the loop, when at most half of the limit waits after a message found no room.
  package var onRoom: (() -> Void)?
  /// Called, on the loop, once, when nothing more can be sent and why.
  package var onEnd: ((Ending) -> Void)?
  let headers: [HTTPField]
  private let executor: LoopExecutor
  private let connection: HTTPConnection
  private var queue: OutputQueue
  private var state = State.open
  private var isAwaitingRoom = false

  init(
    headers: [HTTPField], limit: Int, on connection: HTTPConnection, _ executor: LoopExecutor
  ) {
    self.headers = headers
    self.limit = limit
    self.connection = connection
    self.executor = executor
    queue = OutputQueue(limit: limit)
  }

  /// How many bytes wait.
  package var queuedCount: Int { queue.count }

  /// Whether there is no room for another byte.
  package var isFull: Bool { queue.count >= limit }

  /// Whether more can be sent.
  package var isOpen: Bool { if case .open = state { true } else { false } }

  /// Sends a message, or takes it in to be sent when the client reads.
  ///
  /// It never waits, and the message is taken whole or not at all. One that is bigger than the
  /// limit is taken while nothing else waits, since it could never go out otherwise.
  ///
  /// - Parameter message: What to send.
  /// - Returns: What became of it. After `full`, ``onRoom`` tells when to offer it again.
  package func offer(_ message: ArraySlice<UInt8>) -> Offer {
    executor.checkIsolated()
    guard isOpen else { return .gone }
    guard queue.offered(message) else {
      isAwaitingRoom = true
      return .full
    }
    connection.resume()
    return .taken
  }

  /// Sends a message, or takes it in to be sent when the client reads.
  ///
  /// - Parameter message: What to send.
  /// - Returns: What became of it.
  package func offer(_ message: [UInt8]) -> Offer { offer(message[...]) }

  /// Sends nothing more, and ends once all that was taken in is out.
  package func finish() {
    executor.checkIsolated()
    guard isOpen else { return }
    state = .finishing
    connection.resume()
  }

  /// Ends at once; what waits is dropped, and the client sees that the stream was broken off.
  package func close() {
    executor.checkIsolated()
    cancel(as: .stopped)
    connection.resume()
  }

  /// Has libmicrohttpd end the connection when next it asks for bytes.
  func cancel(as ending: Ending) {
    switch state {
    case .open, .finishing:
      state = .cancelled(ending)
      queue.removeAll()
    case .cancelled, .ended: break
    }
  }

  /// Notes that nothing goes out any more.
  func ended(_ ending: Ending) {
    var ending = ending
    switch state {
    case .ended: return
    case .cancelled(let reason): ending = reason
    case .open where ending == .finished:
      // A stream that was asked for with HEAD.
      break
    case .open, .finishing: break
    }
    state = .ended
    queue.removeAll()
    onRoom = nil
    let onEnd = onEnd.take()
    onEnd?(ending)
  }
}

extension HTTPStream {
  /// What tells libmicrohttpd that the connection has to end.
  static let endedWithError = -2
  /// What tells libmicrohttpd that all is out.
  private static let endedWell = -1

  /// Gives libmicrohttpd what goes out next, or has it wait.
  ///
  /// - Returns: How many bytes, 0 if it is to leave the connection alone, or how it ended.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    if case .cancelled = state { return Self.endedWithError }
    var written = 0
    while written < buffer.count, let chunk = queue.next {
      let piece = chunk.prefix(buffer.count - written)
      buffer[written...].copyBytes(from: piece)
      written += piece.count
      queue.sent(piece.count)
    }
    if isAwaitingRoom, queue.count <= limit / 2 {
      isAwaitingRoom = false
      connection.afterwards { [self] in onRoom?() }
    }
    guard written == 0 else { return written }
    if case .finishing = state { return Self.endedWell }
    connection.suspend()
    return 0
  }
}

extension HTTPStream.Ending {
  init(_ reason: MHD_RequestTerminationCode, isStopped: Bool) {
    self =
      switch reason {
      case _ where isStopped: .stopped
      case .REQUEST_TERMINATED_COMPLETED_OK: .finished
      case .REQUEST_TERMINATED_TIMEOUT_REACHED: .stalled
      case .REQUEST_TERMINATED_DAEMON_SHUTDOWN: .stopped
      default: .peerGone
      }
  }
}
