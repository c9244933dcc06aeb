import EventLoop

/// How to make words stand out, or not at all.
struct TerminalStyle: Hashable, Sendable {
  /// How many colours there are.
  enum Depth: Hashable, Sendable { case none, sixteen, many }

  /// How many colours there are.
  let depth: Depth

  /// Nothing stands out: for pipes, files and dumb terminals.
  static let plain = TerminalStyle(depth: .none)

  /// Makes a style of so many colours.
  init(depth: Depth) {
    self.depth = depth
  }

  /// Decides whether colours are welcome.
  ///
  /// They are on a terminal that is not dumb, unless `NO_COLOR` is set to anything.
  ///
  /// - Parameters:
  ///   - isTerminal: Whether the text goes to a terminal.
  ///   - variable: Gives the value of an environment variable.
  init(isTerminal: Bool, variable: (String) -> String?) {
    let terminal = variable("TERM") ?? "dumb"
    if !isTerminal || terminal == "dumb" || terminal.isEmpty
      || !(variable("NO_COLOR") ?? "").isEmpty
    {
      depth = .none
    } else if terminal.contains("256color") || !(variable("COLORTERM") ?? "").isEmpty {
      depth = .many
    } else {
      depth = .sixteen
    }
  }

  /// Decides whether colours are welcome at a descriptor of this process.
  init(descriptor: Int32) {
    self.init(
      isTerminal: ProcessEnvironment.isTerminal(descriptor), variable: ProcessEnvironment.value)
  }

  /// A heading.
  func bold(_ text: String) -> String { dressed(text, "1") }
  /// What matters less.
  func dim(_ text: String) -> String { dressed(text, "2") }
  /// Something new or good.
  func green(_ text: String) -> String { dressed(text, "32") }
  /// Something changed or doubtful.
  func yellow(_ text: String) -> String { dressed(text, "33") }
  /// Something gone or bad.
  func red(_ text: String) -> String { dressed(text, "31") }

  /// A name in the colour that it always has.
  func author(_ name: String) -> String {
    let palette = depth == .many ? Self.manyColours : Self.fewColours
    return dressed(name, palette[Int(Self.hash(name) % UInt64(palette.count))])
  }

  /// Middle tones, readable on light and on dark; none of them red, yellow or plain green.
  private static let manyColours = [
    "38;5;33", "38;5;37", "38;5;97", "38;5;166", "38;5;168", "38;5;62", "38;5;30", "38;5;132",
  ]
  private static let fewColours = ["36", "35", "96", "95"]

  private func dressed(_ text: String, _ codes: String) -> String {
    depth == .none || text.isEmpty ? text : "\u{1B}[\(codes)m\(text)\u{1B}[0m"
  }

  /// FNV-1a: unlike `Hasher` it gives the same in every run.
  private static func hash(_ text: String) -> UInt64 {
    text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
