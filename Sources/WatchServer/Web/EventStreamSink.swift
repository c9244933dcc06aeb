import EventLoop
import HTTPServer
import HistoryModel
import HistoryObservation

/// Sends the lines of one subscription as Server-Sent Events.
final class EventStreamSink: LineSink {
  private struct State {
    var stream: HTTPStream?
    /// Whether the last lines found no room: only then is it told when there is some.
    var isFull = false
    var waiting: CheckedContinuation<Void, Never>?
  }

  private let state = Guarded(State())

  /// Takes the stream to send to, once the subscription was accepted.
  func begin(_ stream: HTTPStream) {
    state.withLock { $0.stream = stream }
    stream.onRoom = { [weak self] in self?.wake() }
  }

  func offer(_ lines: EncodedLines) -> SinkOffer {
    guard let stream = state.withLock({ $0.stream }) else { return .gone }
    switch stream.offer(EventStreamText.bytes(of: lines)) {
    case .taken: return .taken
    case .full:
      state.withLock { $0.isFull = true }
      return .full
    case .gone: return .gone
    }
  }

  func room() async -> Bool {
    guard let stream = state.withLock({ $0.stream }), stream.isOpen else { return false }
    await withCheckedContinuation { continuation in
      let mustWait = state.withLock { state in
        if state.isFull { state.waiting = continuation }
        return state.isFull
      }
      if !mustWait { continuation.resume() }
    }
    return stream.isOpen
  }

  /// Wakes whoever waits for room: there is some, or there never will be.
  func wake() {
    let waiting = state.withLock { state in
      state.isFull = false
      return state.waiting.take()
    }
    waiting?.resume()
  }
}

/// Turns lines into events.
enum EventStreamText {
  /// Lines as events: each of its kind, those after which one can go on with the token as id.
  ///
  /// - Parameter lines: The lines.
  /// - Returns: The events.
  /// - Complexity: O(*n*) for *n* bytes.
  static func bytes(of lines: EncodedLines) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(lines.bytes.count + lines.ends.count * 64)
    var boundaries = lines.boundaries[...]
    var start = 0
    for (place, end) in lines.ends.enumerated() {
      var id: String?
      while let boundary = boundaries.first, boundary.lines == place + 1 {
        id = boundary.token.description
        boundaries.removeFirst()
      }
      let line = lines.bytes[start..<(end - 1)]
      ServerSentEvents.append(data: line, name: kind(of: line), id: id, to: &output)
      start = end
    }
    return output
  }

  /// The kind of a line, which is its first member.
  private static func kind(of line: ArraySlice<UInt8>) -> String? {
    let beginning = #"{"kind":""#.utf8
    guard line.starts(with: beginning) else { return nil }
    let rest = line.dropFirst(beginning.count)
    guard let end = rest.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
    return String(decoding: rest[..<end], as: UTF8.self)
  }
}
