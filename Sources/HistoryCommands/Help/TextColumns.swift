/// Lays out plain text for a page of a fixed width.
enum TextColumns {
  /// The width of a page.
  static let width = 80

  /// Breaks a paragraph at spaces.
  ///
  /// A word that is longer than the line gets a line of its own.
  static func wrap(_ text: String, width: Int = width) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if line.isEmpty {
        line = String(word)
      } else if line.count + 1 + word.count <= width {
        line += " \(word)"
      } else {
        lines.append(line)
        line = String(word)
      }
    }
    return line.isEmpty ? lines : lines + [line]
  }

  /// Sets labels beside their explanations, which all begin in one column.
  ///
  /// - Parameters:
  ///   - rows: Labels and explanations.
  ///   - widest: The longest label that others make room for; a longer one stands alone.
  /// - Returns: The lines.
  static func rows(_ rows: [(label: String, text: String)], widest: Int = 28) -> [String] {
    let labelWidth = rows.map(\.label.count).filter { $0 <= widest }.max() ?? 0
    let start = 2 + labelWidth + 2
    return rows.flatMap { row in
      let label = "  \(row.label)"
      let text = wrap(row.text, width: width - start)
      let margin = String(repeating: " ", count: start)
      guard row.label.count <= widest else { return [label] + text.map { margin + $0 } }
      let first = label + String(repeating: " ", count: start - label.count) + (text.first ?? "")
      return [first] + text.dropFirst().map { margin + $0 }
    }
  }
}
