import EventLoop
import HistoryObservation

/// Sends the lines of one subscription to its connection, each with the subscription's name.
final class SocketSink: LineSink {
  private let connection: ClientConnection
  private let member: [UInt8]

  init(_ connection: ClientConnection, subscription: String) {
    self.connection = connection
    member = AnswerLine.member(subscription)
  }

  func offer(_ lines: EncodedLines) -> SinkOffer {
    let bytes = lines.bytes(with: member)
    return connection.assumeIsolated { $0.offer(bytes) }
  }

  func room() async -> Bool { await connection.room() }
}
