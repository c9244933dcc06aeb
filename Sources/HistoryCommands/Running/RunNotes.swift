import EventLoop
import HistoryModel
import HistoryObservation
import TimelineReload

/// What `run` has to say to a person, until it is written.
///
/// When nobody reads it only the first of it is kept.
struct RunNotes: Sendable {
  private static let limit = 100

  private var texts: [String] = []

  /// Whether there is nothing to say.
  var isEmpty: Bool { texts.isEmpty }

  /// Adds a note.
  mutating func add(_ text: String) {
    if texts.count < Self.limit { texts.append(text) }
  }

  /// Takes the next note out.
  mutating func next() -> String? { texts.isEmpty ? nil : texts.removeFirst() }

  /// What to say of an event; nil for nothing.
  static func text(of event: ReloadEvent) -> String? {
    switch event {
    case .began, .confirmed, .ended, .listening: nil
    case .failed(_, let error, let nextIn):
      "\(sentence(of: error))\(nextIn.map { "; trying again in \(span($0))" } ?? "")"
    case .positionLost(let error): "\(error.message); running the command with reason reset"
    case .deaf(let error): "\(error.message); trying again"
    case .stateNotKept(let error):
      "\(error.message); trying again, and until then a crash would repeat runs"
    }
  }

  private static func sentence(of error: any Error) -> String {
    (error as? HistoryError)?.message ?? "\(error)"
  }

  /// A command that ended with another status than 0.
  static func failure(of program: String, _ status: ChildProcess.Status) -> HistoryError {
    let way =
      switch status {
      case .code(let code): "exited with status \(code)"
      case .signal(let number): "was ended by signal \(number)"
      }
    return HistoryError(.temporary, "\(program) \(way)")
  }

  /// A command that was told to end.
  static func ended(_ program: String) -> HistoryError {
    HistoryError(.temporary, "\(program) was told to end")
  }

  /// A span of time in one unit, rounded up.
  private static func span(_ duration: Duration) -> String {
    let (seconds, rest) = duration.components
    let whole = seconds + (rest > 0 ? 1 : 0)
    if whole < 120 { return "\(whole) s" }
    return whole < 7200 ? "\((whole + 59) / 60) min" : "\((whole + 3599) / 3600) h"
  }
}
