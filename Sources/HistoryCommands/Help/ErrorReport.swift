import HistoryModel

/// What standard error says about a failure: one line, and a second if something can be done.
struct ErrorReport: Hashable, Sendable {
  /// The lines, without line ends.
  let lines: [String]

  /// Makes the lines of a failure.
  ///
  /// - Parameters:
  ///   - error: The failure.
  ///   - style: Whether the first words stand out.
  init(_ error: HistoryError, style: TerminalStyle = .plain) {
    var lines = ["\(style.red("historywatch:")) \(PrintableText.line(error.message))"]
    if let hint = error.hint.map(PrintableText.line), !hint.isEmpty {
      lines.append("\(style.dim("hint:")) \(hint)")
    }
    self.lines = lines
  }

  /// The lines as they are written.
  var text: String { lines.map { $0 + "\n" }.joined() }
}
