/// The command line: `MODE --name value … FILE…`.
struct Arguments {
  let mode: String
  private(set) var files: [String] = []
  private var values: [String: String] = [:]

  /// Takes a command line apart.
  ///
  /// - Parameter words: The words after the program's name.
  init(_ words: [String]) {
    mode = words.first ?? ""
    var rest = words.dropFirst()
    while let word = rest.popFirst() {
      if word.hasPrefix("--") {
        values[String(word.dropFirst(2))] = rest.popFirst()
      } else {
        files.append(word)
      }
    }
  }

  /// A text, or nothing.
  func text(_ name: String) -> String? { values[name] }

  /// A number.
  func number(_ name: String, default number: Int) -> Int {
    values[name].flatMap { Int($0) } ?? number
  }
}
