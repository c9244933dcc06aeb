/// Text with colours in it, which knows how wide it is without them.
struct StyledText: Sendable {
  /// The text, colours and all.
  private(set) var text = ""
  /// How many columns of a terminal it takes.
  private(set) var width = 0

  /// Makes an empty text.
  init() {}

  /// Makes a text of plain words.
  ///
  /// - Parameters:
  ///   - plain: The words.
  ///   - paint: Gives them their colour.
  init(_ plain: String, _ paint: (String) -> String = { $0 }) {
    text = paint(plain)
    width = plain.terminalWidth
  }

  /// Appends a text.
  static func += (a: inout StyledText, b: StyledText) {
    a.text += b.text
    a.width += b.width
  }

  /// Appends plain words.
  static func += (a: inout StyledText, plain: String) {
    a += StyledText(plain)
  }

  /// The text with blanks after it up to a width.
  func padded(to wanted: Int) -> StyledText {
    var padded = self
    padded += String(repeating: " ", count: max(0, wanted - width))
    return padded
  }
}

extension StringProtocol {
  /// How many columns of a terminal the text takes, as far as can be said without the terminal.
  var terminalWidth: Int { reduce(0) { $0 + $1.terminalWidth } }

  /// The text, cut to a width if it is wider, with a sign that it was cut.
  func cut(to limit: Int) -> String {
    var width = 0
    var end = startIndex
    for index in indices {
      width += self[index].terminalWidth
      if width <= limit - 1 { end = self.index(after: index) }
      if width > limit { return self[..<end] + "…" }
    }
    return String(self)
  }
}

extension Character {
  /// Two columns for the wide characters of East Asia and for pictures, one for others.
  fileprivate var terminalWidth: Int {
    guard let first = unicodeScalars.first else { return 0 }
    switch first.value {
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
      return 2
    default:
      return unicodeScalars.contains { $0.value == 0xFE0F } ? 2 : 1
    }
  }
}
