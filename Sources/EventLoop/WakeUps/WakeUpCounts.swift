/// What woke an observer how often, for the status.
public struct WakeUpCounts: Equatable, Sendable {
  /// How often one source woke.
  public struct Source: Equatable, Sendable {
    /// The source's name.
    public let name: String
    /// Its wake-ups.
    public internal(set) var count: Int
  }

  /// Wake-ups by source, in the order of the sources.
  public internal(set) var bySource: [Source] = []
  /// Looks right after wake-ups; wake-ups that come together share one.
  public internal(set) var eventLooks = 0
  /// Looks for a commit that was announced and not visible yet.
  public internal(set) var ladderLooks = 0
  /// Looks that no wake-up asked for: one a second, more where wake-ups are silent.
  public internal(set) var safetyLooks = 0
  /// How often it stopped listening for some milliseconds, since a bulk transaction was written.
  public internal(set) var pauses = 0
  /// How many looks found a change.
  public internal(set) var changes = 0
  /// How many changes were found by looks that no wake-up asked for.
  public internal(set) var unannouncedChanges = 0
}
