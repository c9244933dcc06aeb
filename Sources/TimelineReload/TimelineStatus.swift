public import HistoryModel

/// How far the reloads of a kind are.
public struct TimelineStatus: Sendable {
  /// The kind's name.
  public let kind: String
  /// What was committed and has not been confirmed yet, the present run's range included; nil when
  /// there is nothing to catch up with.
  ///
  /// It may be empty: a reload that was asked for, or one because the position was lost, is
  /// pending all the same.
  public let pending: HistorySummary?
  /// Whether a run is on its way.
  public let isRunning: Bool
  /// How many runs were begun since the last confirmed one, the present one included.
  public let unconfirmedRuns: Int
  /// How many of them count as attempts: all but those that were ended for a later one.
  public let attempts: Int
  /// What went wrong last, until it goes right: a run, listening to the store, or keeping the
  /// state.
  public let lastError: (any Error)?
  /// The position up to which everything was confirmed, or did not match.
  public let confirmedToken: HistoryToken
}
