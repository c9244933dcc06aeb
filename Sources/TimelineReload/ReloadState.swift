import HistoryModel

/// What has to outlive the process so that no reload is lost.
///
/// What is still to be done is not in it: that is read again from the history after ``token``.
struct ReloadState: Sendable, Hashable {
  /// A reload that is due even if nothing that matches follows the token.
  enum Debt: String, Sendable, Comparable {
    /// None.
    case nothing
    /// It was asked for by hand.
    case request
    /// The position was lost.
    case reset

    /// Whether a debt matters less than another.
    static func < (a: Debt, b: Debt) -> Bool { a.rank < b.rank }

    private var rank: Int {
      switch self {
      case .nothing: 0
      case .request: 1
      case .reset: 2
      }
    }
  }

  /// Runs of what follows the token that were begun and not confirmed.
  struct Tries: Sendable, Hashable {
    /// How many.
    var count: Int
    /// The end of the range that the last of them had.
    var until: HistoryToken
  }

  /// A day of a budget.
  struct Day: Sendable, Hashable {
    /// When its first run began, in milliseconds since 1970.
    var start: Int64
    /// How many runs began in it.
    var runs: Int
  }

  /// The position up to which everything was confirmed, or did not match.
  var token: HistoryToken
  /// The unconfirmed runs, if there are any.
  var tries: Tries?
  /// A reload that is due whatever follows.
  var debt = Debt.nothing
  /// When the last run began, in milliseconds since 1970.
  var lastBeginning: Int64?
  /// The day of the budget that is being used.
  var day: Day?

  /// The state of somebody who begins at a position.
  ///
  /// - Parameter token: The position.
  init(at token: HistoryToken) { self.token = token }
}
