import EventLoop
import HistoryModel

/// How entries of the log are laid out.
struct LogLayout: Sendable {
  /// How to make words stand out.
  let style: TerminalStyle
  /// How many columns a line should have at most.
  let width: Int
  /// What "just now" is.
  let now: CalendarTime

  init(style: TerminalStyle, width: Int, now: CalendarTime = .now) {
    self.style = style
    self.width = max(40, width)
    self.now = now
  }

  /// The columns of the terminal, else of the one that `COLUMNS` speaks of, else 80.
  static var width: Int {
    ProcessEnvironment.terminalColumns(1) ?? ProcessEnvironment.value("COLUMNS").flatMap(Int.init)
      ?? TextColumns.width
  }

  /// What stands for an operation.
  func sign(_ operation: HistoryModel.Operation) -> String {
    switch operation {
    case .insert: "+"
    case .update: "~"
    case .delete: "-"
    }
  }

  /// A text in the colour of an operation.
  func paint(_ text: String, _ operation: HistoryModel.Operation) -> String {
    switch operation {
    case .insert: style.green(text)
    case .update: style.yellow(text)
    case .delete: style.red(text)
    }
  }
}
