package import HistoryModel

/// Builds the lines that answer requests.
package enum AnswerLine {
  /// An answer.
  ///
  /// - Parameters:
  ///   - kind: What it is.
  ///   - fields: What it says, in order.
  ///   - envelope: The request that it answers.
  /// - Returns: One whole line.
  package static func answer(
    _ kind: String, _ fields: [(String, JSONValue)] = [], to envelope: RequestEnvelope
  ) -> [UInt8] {
    var members = [JSONObject.Member(name: "kind", value: .string(kind))]
    members += fields.map { JSONObject.Member(name: $0.0, value: $0.1) }
    if let request = envelope.request { members.append(.init(name: "request", value: request)) }
    return line(members)
  }

  /// An answer that a request could not be done.
  ///
  /// - Parameters:
  ///   - error: Why.
  ///   - envelope: The request, as far as it could be read.
  /// - Returns: One whole line.
  package static func error(_ error: HistoryError, to envelope: RequestEnvelope) -> [UInt8] {
    var members: [JSONObject.Member] = [
      .init(name: "kind", value: "error"),
      .init(name: "code", value: .string(error.code.description)),
      .init(name: "message", value: .string(error.message)),
    ]
    if let reason = error.unavailableReason {
      members.append(.init(name: "reason", value: .string(reason.rawValue)))
    }
    if let hint = error.hint { members.append(.init(name: "hint", value: .string(hint))) }
    if let operation = envelope.operation {
      members.append(.init(name: "operation", value: .string(operation)))
    }
    if let subscription = envelope.subscription {
      members.append(.init(name: "subscription", value: .string(subscription)))
    }
    if let request = envelope.request { members.append(.init(name: "request", value: request)) }
    return line(members)
  }

  private static func line(_ members: [JSONObject.Member]) -> [UInt8] {
    var bytes: [UInt8] = []
    JSONText.append(.object(JSONObject(members)), to: &bytes)
    bytes.append(UInt8(ascii: "\n"))
    return bytes
  }

  /// The member that names a subscription at the end of each of its lines, with the comma before.
  ///
  /// - Parameter subscription: The name.
  /// - Returns: Its bytes.
  package static func member(_ subscription: String) -> [UInt8] {
    var bytes = Array(#","subscription":"#.utf8)
    JSONText.append(subscription, to: &bytes)
    return bytes
  }
}
