import HistoryModel
import WatchServer

/// How a server's log is written.
enum LogFormat: String, CaseIterable, Sendable {
  /// For a person, or with levels for the journal.
  case text
  /// One JSON object a line.
  case json

  /// One entry as a line.
  ///
  /// - Parameters:
  ///   - level: How much it matters.
  ///   - sentence: What happened.
  ///   - time: When.
  ///   - isJournal: Whether the journal reads it, which takes the level from the beginning of a line.
  /// - Returns: The line, with its end.
  func line(
    _ level: ServerLog.Level, _ sentence: String, at time: CalendarTime, isJournal: Bool
  ) -> [UInt8] {
    switch self {
    case .text:
      let prefix = isJournal ? "<\(level.rawValue)>" : "historywatch: "
      return Array((prefix + PrintableText.line(sentence) + "\n").utf8)
    case .json:
      var bytes = Array(#"{"time":""#.utf8)
      time.append(to: &bytes)
      bytes += #"","level":""#.utf8
      bytes += "\(level)".utf8
      bytes += #"","message":"#.utf8
      JSONText.append(sentence, to: &bytes)
      bytes += "}\n".utf8
      return bytes
    }
  }
}
