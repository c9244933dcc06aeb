/// Text for `man`, in the macros of man(7), with what means something to them escaped.
struct RoffText {
  private var lines: [String]

  /// The source, with a line end after each line.
  var text: String { lines.map { $0 + "\n" }.joined() }

  /// Begins a page of section 1.
  init(title: String) {
    let name = Self.escaped(title.uppercased())
    lines = [
      #".TH "\#(name)" "1" "" "historywatch \#(Version.program)" "User Commands""#,
      // Commands are to be copied, so nothing is hyphenated or stretched.
      ".nh", ".ad l",
    ]
  }

  mutating func section(_ title: String) { lines.append(".SH \(title.uppercased())") }

  mutating func subsection(_ title: String) { lines.append(".SS \(Self.escaped(title))") }

  mutating func paragraph() { lines.append(".PP") }

  mutating func lineBreak() { lines.append(".br") }

  mutating func line(_ text: String) { lines.append(Self.escaped(text)) }

  /// A word that stands out, and what follows it in the line.
  mutating func bold(_ word: String, then rest: String) {
    lines.append(#"\fB\#(Self.escaped(word))\fR \#(Self.escaped(rest))"#)
  }

  /// An entry of a list: what it is called, the name of its value, and what it means.
  mutating func item(bold name: String, value: String? = nil, _ meaning: String) {
    let value = value.map { #" \fI\#(Self.escaped($0))\fR"# } ?? ""
    lines += [".TP", #"\fB\#(Self.escaped(name))\fR\#(value)"#, Self.escaped(meaning)]
  }

  /// A line to type, as it is.
  mutating func example(_ command: String) {
    lines += [".PP", ".nf", ".RS", Self.escaped(command), ".RE", ".fi", ".PP"]
  }

  /// The text as roff shows it: no escape, no macro, dashes as they are typed.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\": result += #"\e"#
      case "-": result += #"\-"#
      case "'": result += #"\(aq"#
      case "`": result += #"\(ga"#
      case "^": result += #"\(ha"#
      case "~": result += #"\(ti"#
      case "\n": result += " "
      default: result.append(character)
      }
    }
    return result.hasPrefix(".") ? #"\&"# + result : result
  }
}
