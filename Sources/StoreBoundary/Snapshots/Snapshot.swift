import EventLoop
public import HistoryModel

/// Facts that were found at one moment, for those who do not open the store: widgets, other
/// programs, other languages.
public struct Snapshot<Payload: Sendable>: Sendable {
  /// The version of what the payload is made of.
  public let schema: Int
  /// The position of the store's history at which the facts were so; nil where there is none.
  public let token: HistoryToken?
  /// When they were found.
  public let generatedAt: CalendarTime
  /// The facts.
  public let payload: Payload

  /// Makes a snapshot of one's own, for tests and previews.
  ///
  /// - Parameters:
  ///   - schema: The version of what the payload is made of.
  ///   - token: The position at which the facts were so.
  ///   - generatedAt: When they were found.
  ///   - payload: The facts.
  public init(schema: Int, token: HistoryToken?, generatedAt: CalendarTime, payload: Payload) {
    self.schema = schema
    self.token = token
    self.generatedAt = generatedAt
    self.payload = payload
  }

  /// How old the facts are.
  ///
  /// - Parameter now: The present; nil for the system's clock.
  /// - Returns: The time since they were found; zero where a clock that was set back says less.
  public func age(at now: CalendarTime? = nil) -> Duration {
    let present = now?.milliseconds ?? WallClock.milliseconds
    return .milliseconds(max(0, present - generatedAt.milliseconds))
  }
}

extension Snapshot: Equatable where Payload: Equatable {}
