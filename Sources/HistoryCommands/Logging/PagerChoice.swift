/// Which pager people want, and how it is run: as git does it.
struct PagerChoice: Hashable, Sendable {
  /// The program and its arguments; a shell where the words need one.
  let arguments: [String]
  /// The variables that it gets besides ours.
  let environment: [String: String]

  /// Chooses what `PAGER` says, else `less`.
  ///
  /// It is nil for people who want no pager, whose `PAGER` is empty or `cat`.
  ///
  /// - Parameter variable: Gives the value of an environment variable.
  init?(variable: (String) -> String?) {
    let pager = variable("PAGER") ?? "less"
    if pager.allSatisfy(\.isWhitespace) || pager == "cat" { return nil }
    let needsShell = pager.contains { "|&;<>()$`\\\"' \t\n*?[#~=%".contains($0) }
    arguments = needsShell ? ["sh", "-c", pager] : [pager]
    // Colours go through (R), and a text that fits is left on the screen (F, X).
    environment = variable("LESS") == nil ? ["LESS": "FRX"] : [:]
  }
}
