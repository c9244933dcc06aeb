/// A failure that a user of the history can meet, with what to do about it.
///
/// Neither sentence ever contains a value stored in the database.
public struct HistoryError: Error, Sendable {
  /// What kind of failure it is.
  ///
  /// New kinds may be added.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The code's name, as it appears on the wire.
    public let description: String

    private init(_ name: String) { description = name }

    /// The command line or a call was wrong in itself.
    public static let usage = Code("usage")
    /// It failed for a passing reason: locked, disk full, interrupted.
    public static let temporary = Code("temporary")
    /// The SQL given by the caller failed.
    public static let statementFailed = Code("statementFailed")
    /// The token is older than what is kept, or what it points to is no longer there.
    public static let historyTokenExpired = Code("historyTokenExpired")
    /// The text is not a token, or was damaged.
    public static let invalidToken = Code("invalidToken")
    /// The token was issued by another store.
    public static let foreignToken = Code("foreignToken")
    /// There is no database at the path, or it cannot be used as one.
    public static let storeUnavailable = Code("storeUnavailable")
    /// The database has no history.
    public static let notTracked = Code("notTracked")
    /// The history was written by a newer or unknown version.
    public static let unknownLayout = Code("unknownLayout")
    /// The table cannot be tracked.
    public static let untrackable = Code("untrackable")
    /// The named consumer does not exist.
    public static let noSuchConsumer = Code("noSuchConsumer")

    /// A stream does not continue what was taken from its store before.
    public static let discontinuity = Code("discontinuity")
    /// Two stores cannot be brought to the same rows: tables, columns or rows differ.
    public static let tablesDiffer = Code("tablesDiffer")
    /// A row was changed on both sides, and nobody decided which change holds.
    public static let conflict = Code("conflict")

    /// Reads a code's name as it appears on the wire; also one that is not known here.
    ///
    /// - Parameter name: The name.
    package init(wire name: String) { description = name }
  }

  /// The kind of failure.
  public let code: Code
  /// One sentence that says what failed and why.
  public let message: String
  /// One sentence that says what to do, when there is something to do.
  public let hint: String?
  /// What the layer below reported.
  public let cause: (any Error)?
  /// The smallest position that can be read from, where the error is that an older one cannot.
  public private(set) var oldest: HistoryToken?
  /// Why a position cannot be used, where that is the error.
  public private(set) var expiryReason: ExpiryReason?
  /// Why a store cannot be opened, where that is the error and the reason is known.
  public private(set) var unavailableReason: UnavailableReason?

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - code: The kind of failure.
  ///   - message: What failed and why, without stored values.
  ///   - hint: What to do about it.
  ///   - cause: What the layer below reported.
  public init(_ code: Code, _ message: String, hint: String? = nil, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
    self.cause = cause
  }
}

extension HistoryError {
  /// A position that cannot be used any more.
  ///
  /// It is what SwiftData throws under the same name, with what one needs to go on.
  ///
  /// - Parameters:
  ///   - oldest: The smallest position that can be read from; nil where the history is gone.
  ///   - reason: Why.
  /// - Returns: An error with code `historyTokenExpired`.
  public static func historyTokenExpired(
    oldest: HistoryToken?, reason: ExpiryReason = .trimmed
  ) -> HistoryError {
    let why =
      switch reason {
      case .trimmed: "what followed it was trimmed"
      case .storeReplaced: "another store was moved over the file"
      case .storeRestored: "the store was restored to another state"
      case .historyDropped: "the history was dropped"
      }
    var error = HistoryError(
      .historyTokenExpired, "the position has expired: \(why)",
      hint: oldest == nil
        ? "track the database again, and read it anew"
        : "read the rows anew and go on from there, or go on from the oldest position that is left")
    error.oldest = oldest
    error.expiryReason = reason
    return error
  }
}

extension HistoryError {
  /// A store that cannot be opened.
  ///
  /// - Parameters:
  ///   - reason: Why, for programs.
  ///   - message: The same as a sentence, without stored values.
  ///   - hint: What to do about it.
  ///   - cause: What the layer below reported.
  /// - Returns: An error with code `temporary` where it may pass by itself, else `storeUnavailable`.
  public static func unavailable(
    _ reason: UnavailableReason, _ message: String, hint: String, cause: (any Error)? = nil
  ) -> HistoryError {
    HistoryError(
      reason.mayPass ? .temporary : .storeUnavailable, message, hint: hint, cause: cause
    ).because(of: reason)
  }

  /// The same error with a reason why the store cannot be opened.
  ///
  /// - Parameter reason: The reason.
  /// - Returns: The error.
  package func because(of reason: UnavailableReason) -> HistoryError {
    var error = self
    error.unavailableReason = reason
    return error
  }
}

extension HistoryError {
  /// The same error with another hint, for a caller who knows better what can be done.
  ///
  /// - Parameter hint: What to do about it.
  /// - Returns: The error.
  package func hinting(_ hint: String) -> HistoryError {
    var error = HistoryError(code, message, hint: hint, cause: cause)
    error.oldest = oldest
    error.expiryReason = expiryReason
    error.unavailableReason = unavailableReason
    return error
  }
}

extension HistoryError: CustomStringConvertible {
  /// The sentence and, after a dash, the hint.
  public var description: String {
    guard let hint else { return message }
    return "\(message) - \(hint)"
  }
}
