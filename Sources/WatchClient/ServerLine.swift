package import HistoryModel

/// A line of a server, as far as it has to be understood by whoever asked for it.
package enum ServerLine: Sendable {
  /// Who answers, to the protocol that he speaks.
  case greeting(version: Int64)
  /// A subscription begins; its lines follow.
  case subscribed
  /// A line of a subscription.
  case event(JSONValue)
  /// Something that was asked for failed, and the mark of the request if it had one.
  case failure(HistoryError, request: JSONValue?)
  /// The server ends the connection, for a reason.
  case farewell(reason: String?)
  /// An answer to another request.
  case answer(JSONValue)

  /// Reads a line.
  ///
  /// - Parameter line: The line without its end.
  /// - Throws: `LineError` when it is none that a server sends.
  package init(_ line: ArraySlice<UInt8>) throws(LineError) {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: line, limits: .init(bytes: .max))
    } catch {
      throw LineError("\(error.reason) (column \(error.position.column))")
    }
    guard let kind = value["kind"]?.string else {
      throw LineError("a string is expected", in: "kind")
    }
    let isEvent = value["subscription"] != nil
    switch kind {
    case "hello" where !isEvent:
      guard let version = value["protocol"]?.integer else {
        throw LineError("an integer is expected", in: "protocol")
      }
      self = .greeting(version: version)
    case "subscribed": self = .subscribed
    case "error": self = .failure(HistoryError(wire: value), request: value["request"])
    case "bye" where !isEvent: self = .farewell(reason: value["reason"]?.string)
    default: self = isEvent ? .event(value) : .answer(value)
    }
  }
}
