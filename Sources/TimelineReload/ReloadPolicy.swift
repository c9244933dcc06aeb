/// When a burst of changes becomes a reload.
public struct ReloadPolicy: Sendable, Hashable {
  /// How many reloads there may be in a day.
  public struct Budget: Sendable, Hashable {
    /// How many.
    public let reloadsPerDay: Int

    /// A number of reloads in 24 hours.
    ///
    /// - Parameter reloads: How many, at least 1.
    /// - Returns: The budget.
    public static func perDay(_ reloads: Int) -> Budget {
      precondition(reloads > 0, "A budget has at least one reload a day.")
      return Budget(reloadsPerDay: reloads)
    }
  }

  /// What to do when a reload is due while another one runs.
  public enum WhenBusy: Sendable, Hashable {
    /// Wait until it has ended.
    case queue
    /// End it, and reload its range and the new one together.
    ///
    /// Changes that go on end each run as soon as the next is due; a minimum interval gives every
    /// run at least that long.
    case restart
  }

  /// How long nothing may change before the reload.
  public var debounce: Duration
  /// How long after the first change of a burst the reload comes, even if changes go on.
  public var maximumWait: Duration
  /// How far apart the beginnings of two reloads are at least.
  public var minimumInterval: Duration?
  /// How many reloads there may be in a day; what is beyond waits and is merged.
  public var budget: Budget?
  /// What to do when a reload is due while another one runs.
  public var onBusy: WhenBusy

  /// Makes a policy.
  ///
  /// - Parameters:
  ///   - debounce: How long nothing may change before the reload.
  ///   - maximumWait: How long after the first change of a burst the reload comes.
  ///   - minimumInterval: How far apart the beginnings of two reloads are at least.
  ///   - budget: How many reloads there may be in a day.
  ///   - onBusy: What to do when a reload is due while another one runs.
  public init(
    debounce: Duration = .milliseconds(250), maximumWait: Duration = .seconds(2),
    minimumInterval: Duration? = nil, budget: Budget? = nil, onBusy: WhenBusy = .queue
  ) {
    self.debounce = debounce
    self.maximumWait = maximumWait
    self.minimumInterval = minimumInterval
    self.budget = budget
    self.onBusy = onBusy
  }
}
