import EventLoop
import HistoryModel

extension HistoryError {
  /// The error, with another hint where a mistyped command was taken for a database.
  ///
  /// `historywatch stauts` asks for the stream of a database called `stauts`, which may exist. Only
  /// when it does not has the command been meant.
  ///
  /// - Parameter arguments: The words of the command line.
  /// - Returns: The error to report.
  func suggestingCommand(_ arguments: [String]) -> HistoryError {
    guard code == .storeUnavailable, arguments.count == 1, let word = arguments.first,
      word.looksLikeCommand, let meant = CommandRegistry.standard.nearest(to: word),
      case .some(.none) = try? DurableFile(path: word).read(limit: 0)
    else { return self }
    return HistoryError(
      code, message, hint: "did you mean the command \(meant)?", cause: cause)
  }
}
