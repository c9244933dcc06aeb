import StoreBoundary

/// A bar at the bottom of a terminal that shows how far a migration is; nothing where there is none.
struct ProgressBar {
  private let columns: Int?
  private var shown = ""

  /// Makes a bar.
  ///
  /// - Parameter columns: The terminal's columns; nil where there is no terminal.
  init(columns: Int?) { self.columns = columns }

  /// What to write for an event; nil for nothing.
  mutating func text(for event: MigrationEvent) -> String? {
    switch event {
    case .copying(let remaining, let total):
      draw("copying", done: total - remaining, of: total)
    case .began(_, let name): draw("applying \(PrintableText.line(name))", done: 0, of: nil)
    case .advanced(let version, let done, let total):
      draw("applying \(version)", done: done, of: total)
    case .verifying: draw("verifying", done: 0, of: nil)
    case .copied, .applied: end()
    default: nil
    }
  }

  /// What takes the bar away; nil where there is none.
  mutating func end() -> String? {
    guard !shown.isEmpty else { return nil }
    shown = ""
    return "\r\u{1b}[K"
  }

  private mutating func draw(_ label: String, done: Int, of total: Int?) -> String? {
    guard let columns else { return nil }
    var text = String(label.prefix(max(0, columns - 1)))
    if let total, total > 0 {
      let share = min(max(0, done), total) * 100 / total
      let room = columns - label.count - 9
      if room >= 10 {
        let filled = room * share / 100
        text =
          "\(label) [\(String(repeating: "#", count: filled))"
          + "\(String(repeating: " ", count: room - filled))] \(share)%"
      } else {
        text = String("\(label) \(share)%".prefix(max(0, columns - 1)))
      }
    } else if done > 0 {
      text = String("\(label): \(done)".prefix(max(0, columns - 1)))
    }
    guard text != shown else { return nil }
    shown = text
    return "\r\u{1b}[K" + text
  }
}
