public import HistoryModel

/// One reload of a kind: what has to be caught up with, and why now.
///
/// A handler that returns has confirmed the range; one that fails gets it again, grown by what
/// was committed meanwhile.
public struct Reload: Sendable, Hashable {
  /// Why a reload runs.
  public struct Reason: Hashable, Sendable, CustomStringConvertible {
    /// The reason's name, as commands get it.
    public let description: String

    private init(_ name: String) { description = name }

    /// Matching changes were committed.
    public static let changed = Reason("changed")
    /// An earlier run of what is at the beginning of the range failed, or nobody knows how it
    /// ended.
    public static let retry = Reason("retry")
    /// The position was lost: anything may have changed, and the range begins where watching
    /// began anew.
    ///
    /// It stays the reason until such a run was confirmed.
    public static let reset = Reason("reset")
    /// It was asked for by hand, and nothing has changed.
    public static let requested = Reason("requested")
  }

  /// The name of the kind that is reloaded.
  public let kind: String
  /// Why it runs.
  public let reason: Reason
  /// Everything that matched since the last confirmed run.
  public let range: HistorySummary
  /// Which attempt this is since the last confirmed run, from 1.
  ///
  /// A run that was ended for a later one does not count.
  public let attempt: Int

  package init(kind: String, reason: Reason, range: HistorySummary, attempt: Int) {
    self.kind = kind
    self.reason = reason
    self.range = range
    self.attempt = attempt
  }
}
