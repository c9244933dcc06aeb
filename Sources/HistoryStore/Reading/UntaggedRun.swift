import HistoryModel

/// Decides where a run of untagged changes is cut.
///
/// SQLite shows a trigger no transaction, so nobody can know; the rule depends on nothing but what
/// is stored, so that every later reader cuts alike. It never cuts inside a statement, which the
/// time of its rows shows, and cuts where the writer paused or the clock went back.
struct UntaggedRun {
  /// The first row of the run, which gives it its number.
  let first: Int64
  /// The first row of the statement that the last change belongs to.
  private var statement: Int64
  private(set) var lastTime: Double?

  /// How many rows a run has at least before a new statement ends it.
  static let length: Int64 = 10_000

  /// Begins a run with a change.
  init(first: Int64, time: Double?) {
    self.first = first
    statement = first
    lastTime = time
  }

  /// Takes the next change, unless it begins a run of its own.
  ///
  /// - Returns: Whether the change belongs to this run.
  mutating func accept(_ sequence: Int64, time: Double?) -> Bool {
    let isNewStatement = time == nil || lastTime == nil || time != lastTime
    guard isNewStatement else { return true }
    if let time, let lastTime, time < lastTime || time - lastTime >= TransactionFinder.second {
      return false
    }
    if (sequence - 1) / Self.length > (statement - 1) / Self.length { return false }
    statement = sequence
    lastTime = time
    return true
  }
}
