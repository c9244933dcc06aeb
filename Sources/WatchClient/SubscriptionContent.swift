import HistoryModel

/// What a subscription is to and how far it has got: requests and lines in, elements out.
///
/// It knows no connection, and so outlives any number of them.
protocol SubscriptionContent: Sendable {
  /// What whoever subscribed gets.
  associatedtype Element: Sendable

  /// What to ask a server for, to go on from where it has got.
  var requests: [ClientRequest] { get }

  /// Takes in a line of the subscription.
  ///
  /// - Throws: `LineError` when it is none, or cannot follow what came before it.
  mutating func take(_ line: JSONValue) throws(LineError) -> SubscriptionOutcome<Element>

  /// The rest of what was being sent will not come.
  mutating func connectionLost()
}

/// What a line of a subscription means for whoever reads it.
enum SubscriptionOutcome<Element: Sendable>: Sendable {
  /// Nothing yet.
  case nothing
  /// There is nothing to give, but the position moved.
  case progress
  /// There is something to give.
  case element(Element)
  /// The server ends the subscription for a reason of its own: connect again.
  case lost
  /// Nothing more comes.
  case ended
  /// It cannot go on.
  case failed(HistoryError)
}

extension SubscriptionOutcome {
  /// What the end of a subscription means.
  ///
  /// - Parameters:
  ///   - bye: The end.
  ///   - expiry: What was said of a position that cannot be used.
  init(_ bye: StreamLine.Bye, after expiry: StreamLine.Expiry?) {
    switch bye.reason {
    case .end, .limit, .timeout: self = .ended
    case .signal, .slow: self = .lost
    case .expired:
      self = .failed(
        .historyTokenExpired(oldest: expiry?.oldest, reason: expiry?.reason ?? .trimmed))
    case .error:
      self = .failed(HistoryError(.statementFailed, bye.message ?? "the subscription failed"))
    }
  }
}
