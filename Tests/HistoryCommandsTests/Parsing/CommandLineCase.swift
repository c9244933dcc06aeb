import HistoryModel

@testable import HistoryCommands

/// Reads a command line as the program would, for tests.
enum CommandLineCase {
  /// The arguments of the command that was asked for; nil if it was help or the version.
  static func arguments(_ words: String...) throws -> ParsedArguments? {
    if case .command(let parsed) = try CommandParser().parse(words) { parsed } else { nil }
  }

  /// What standard error would say, or an empty text if the command line is right.
  static func report(_ words: String...) -> String { report(words) }

  /// The same for words in an array.
  static func report(_ words: [String]) -> String {
    do {
      _ = try CommandParser().parse(words)
      return ""
    } catch {
      return error.code == .usage ? ErrorReport(error).text : "not a usage error: \(error.code)"
    }
  }

  /// The page that was asked for.
  static func help(_ words: String...) throws -> String? {
    switch try CommandParser().parse(words) {
    case .help(nil): HelpPage(.standard).text
    case .help(let command?): HelpPage(command).text
    case .manual, .version, .command: nil
    }
  }
}
