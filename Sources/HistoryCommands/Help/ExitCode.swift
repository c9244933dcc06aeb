import HistoryModel

/// The status with which the program ends: what scripts decide by.
struct ExitCode: RawRepresentable, Hashable, Sendable {
  /// The number that the shell sees.
  let rawValue: Int32

  /// It did what was asked.
  static let success = ExitCode(rawValue: 0)
  /// It failed for a passing reason, or the SQL failed.
  static let failure = ExitCode(rawValue: 1)
  /// The command line was wrong.
  static let usage = ExitCode(rawValue: 2)
  /// The position has expired.
  static let expired = ExitCode(rawValue: 3)
  /// The position can never be used.
  static let unusablePosition = ExitCode(rawValue: 4)
  /// The database cannot be used.
  static let unavailable = ExitCode(rawValue: 5)
  /// The reader was too slow.
  static let slow = ExitCode(rawValue: 6)
  /// The time asked for passed.
  static let timeout = ExitCode(rawValue: 124)
  /// SIGINT ended it.
  static let interrupted = ExitCode(rawValue: 130)
  /// The reader of standard output went away.
  static let readerGone = ExitCode(rawValue: 141)
  /// SIGTERM ended it.
  static let terminated = ExitCode(rawValue: 143)
}

extension ExitCode {
  /// The status that tells a failure.
  ///
  /// - Parameter code: The kind of failure.
  init(_ code: HistoryError.Code) {
    switch code {
    case .usage, .untrackable: self = .usage
    case .historyTokenExpired: self = .expired
    case .invalidToken, .foreignToken, .discontinuity: self = .unusablePosition
    case .storeUnavailable, .notTracked, .unknownLayout, .noSuchConsumer: self = .unavailable
    default: self = .failure
    }
  }

  /// What it means, unless a command says it more exactly.
  var meaning: String {
    switch self {
    case .success: "did what was asked"
    case .failure: "failed for a passing reason: try again"
    case .usage: "wrong usage"
    case .expired: "the position has expired: trimmed, restored or replaced"
    case .unusablePosition: "the position can never be used: damaged or of another store"
    case .unavailable: "no such database, not a database, or not tracked"
    case .slow: "closed for being too slow: try again"
    case .timeout: "the --timeout passed"
    case .interrupted: "ended by SIGINT"
    case .readerGone: "the reader of standard output went away"
    case .terminated: "ended by SIGTERM"
    default: "ended with status \(rawValue)"
    }
  }
}
