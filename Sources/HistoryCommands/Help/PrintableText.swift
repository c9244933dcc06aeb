/// Makes text safe to show on a line of a terminal.
enum PrintableText {
  /// Returns the text on one line, without anything a terminal would obey.
  ///
  /// A line break, with the white space around it, becomes one space; any other control character becomes
  /// the replacement character, so that names and messages cannot move the cursor or set colours.
  static func line(_ text: String) -> String {
    var line = String.UnicodeScalarView()
    var pending = false
    for scalar in text.unicodeScalars {
      if scalar.isLineBreak || (scalar == " " && pending) {
        pending = true
        continue
      }
      if pending {
        while line.last == " " { line.removeLast() }
        if !line.isEmpty { line.append(" ") }
        pending = false
      }
      if scalar == "\t" {
        line.append(" ")
      } else if scalar.properties.generalCategory == .control || scalar.isDirectional {
        line.append("\u{FFFD}")
      } else {
        line.append(scalar)
      }
    }
    return String(line)
  }
}

extension Unicode.Scalar {
  /// Whether text goes on below after it.
  fileprivate var isLineBreak: Bool {
    switch self {
    case "\n", "\r", "\u{0B}", "\u{0C}", "\u{85}", "\u{2028}", "\u{2029}": true
    default: false
    }
  }

  /// Whether it turns the direction in which the text around it is shown.
  fileprivate var isDirectional: Bool {
    (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
  }
}
