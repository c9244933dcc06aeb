package import EventLoop
package import HistoryModel

// What is said about a server that is not there, or does not do as it should.

extension HistoryError {
  /// What a server says of a failure.
  init(wire line: JSONValue) {
    let error = HistoryError(
      Code(wire: line["code"]?.string ?? Code.temporary.description),
      line["message"]?.string ?? "the server failed and did not say why",
      hint: line["hint"]?.string)
    self =
      line["reason"]?.string.map { error.because(of: UnavailableReason(rawValue: $0)) } ?? error
  }

  /// Nobody can be reached at a socket.
  package static func unreachable(_ path: String, _ error: LoopError) -> HistoryError {
    guard error.isNobodyThere else {
      return HistoryError(
        .storeUnavailable, "the socket \(path) cannot be used: \(error.reason)",
        hint: "check the path, and who may use it", cause: error)
    }
    if FileNames.isRegularFile(path) {
      return HistoryError(
        .storeUnavailable, "\(path) is a file, and no socket",
        hint: "name the socket that historywatch serve listens at", cause: error)
    }
    return HistoryError(
      .temporary, "no server listens at \(path)",
      hint: "start one with: historywatch serve DATABASE --socket PATH", cause: error)
  }

  /// A server went away in the middle.
  package static func serverGone(_ path: String) -> HistoryError {
    HistoryError(
      .temporary, "the server at \(path) went away", hint: "try again once it is back")
  }

  /// Whoever listens at a socket does not speak as a server does.
  package static func notAServer(_ path: String, _ error: LineError) -> HistoryError {
    HistoryError(
      .temporary, "what listens at \(path) sent a line that cannot be read: \(error)",
      hint: "check that it is historywatch serve, and not a newer one", cause: error)
  }

  /// A server speaks another protocol.
  package static func unknownProtocol(_ path: String, _ version: Int64) -> HistoryError {
    HistoryError(
      .storeUnavailable,
      "the server at \(path) speaks protocol \(version), and this program only 1",
      hint: "use programs of the same version")
  }

  /// A server was told to serve a timeline no longer.
  static func timelineGone(_ name: String?) -> HistoryError {
    HistoryError(
      .usage, "the server no longer has \(name.map { "the timeline \"\($0)\"" } ?? "a timeline")",
      hint: "ask for those that its configuration declares")
  }

  static var givenUp: HistoryError {
    HistoryError(
      .temporary, "waiting for the server was given up", hint: "ask again; the task was cancelled")
  }
}
