import EventLoop
package import HistoryModel

extension ReloadEvent {
  /// What to tell a person; nil for nothing.
  package var sentence: String? {
    switch self {
    case .began, .confirmed, .ended, .listening: nil
    case .failed(_, let error, let nextIn): Self.sentence(of: error, nextIn: nextIn)
    case .positionLost(let error): "\(error.message); running the command with reason reset"
    case .deaf(let error): "\(error.message); trying again"
    case .stateNotKept(let error):
      "\(error.message); trying again, and until then a crash would repeat runs"
    }
  }

  /// What to tell a person of something that failed.
  ///
  /// - Parameters:
  ///   - error: Why it failed.
  ///   - nextIn: How long after it the next try comes; nil where that is not known.
  /// - Returns: A sentence.
  package static func sentence(of error: any Error, nextIn: Duration?) -> String {
    let why = (error as? HistoryError)?.message ?? "\(error)"
    return why + (nextIn.map { "; trying again in \(span($0))" } ?? "")
  }

  /// A span of time in one unit, rounded up.
  private static func span(_ duration: Duration) -> String {
    let (seconds, rest) = duration.components
    let whole = seconds + (rest > 0 ? 1 : 0)
    if whole < 120 { return "\(whole) s" }
    return whole < 7200 ? "\((whole + 59) / 60) min" : "\((whole + 3599) / 3600) h"
  }
}

extension ReloadCommand {
  /// Runs the command for a reload, to its success.
  ///
  /// - Parameter reload: What it is about.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `temporary` when it exits with another status than 0 or
  ///   was told to end, and as ``run(_:)`` does.
  package nonisolated(nonsending) func runToSuccess(
    _ reload: Reload
  ) async throws(HistoryError) {
    try check(await run(reload))
  }

  /// Runs the command for something else than a reload, to its success.
  ///
  /// - Parameter environment: What to tell it, by the names of variables.
  /// - Throws: As ``runToSuccess(_:)-(Reload)`` does.
  package nonisolated(nonsending) func runToSuccess(
    _ environment: [String: String]
  ) async throws(HistoryError) {
    try check(await run(environment))
  }

  private func check(_ outcome: Outcome) throws(HistoryError) {
    switch outcome {
    case .confirmed: return
    case .failed(.code(let code)):
      throw .commandFailed("\(arguments[0]) exited with status \(code)")
    case .failed(.signal(let number)):
      throw .commandFailed("\(arguments[0]) was ended by signal \(number)")
    case .ended: throw .commandFailed("\(arguments[0]) was told to end")
    }
  }
}
