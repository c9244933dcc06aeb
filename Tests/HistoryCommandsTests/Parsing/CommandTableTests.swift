import Testing

@testable import HistoryCommands

@Suite("The tables of the commands")
struct CommandTableTests {
  static let commands = CommandRegistry.standard.commands

  @Test("names are there once, and the default command is one of them")
  func names() {
    let names = Self.commands.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(names.allSatisfy { $0.looksLikeCommand })
    #expect(CommandRegistry.standard.fallback.name == CommandRegistry.defaultName)
    #expect(names.contains(CommandRegistry.defaultName))
  }

  @Test("an option takes a value in all commands that have it, or in none")
  func arity() {
    for option in Self.commands.flatMap({ $0.options(of: nil) }) {
      #expect(
        CommandRegistry.standard.takesValue(option.name) == (option.value != nil), "\(option.name)")
    }
  }

  @Test("what a table refers to exists", arguments: commands.map(\.name))
  func references(name: String) throws {
    let command = try #require(CommandRegistry.standard[name])
    let options = command.options(of: nil)
    #expect(Set(options.map(\.name)).count == options.count)
    let referred = command.requiresOneOf + options.flatMap(\.excludes)
    #expect(referred.allSatisfy { name in options.contains { $0.name == name } })
    for operands in [command.operands] + command.actions.map(\.operands) {
      let order = operands.map(\.presence)
      #expect(!order.dropLast().contains(.repeated))
      #expect(order.drop { $0 == .required }.allSatisfy { $0 != .required })
    }
  }

  @Test("sentences are of one kind", arguments: commands.map(\.name))
  func sentences(name: String) throws {
    let command = try #require(CommandRegistry.standard[name])
    let lines = [command.summary] + command.options(of: nil).map(\.help)
    for line in lines + command.actions.map(\.summary) {
      #expect(!line.hasSuffix(".") && line.first?.isUppercase == true, "\(line)")
    }
    #expect(command.summary.count <= 62)
    #expect(command.example.explanation.hasSuffix("."))
    #expect(command.exits.map(\.code.rawValue) == command.exits.map(\.code.rawValue).sorted())
    #expect(command.exits.contains { $0.code == .success })
    #expect(command.exits.contains { $0.code == .usage })
  }

  @Test("examples are command lines that the parser takes", arguments: commands.map(\.name))
  func examples(name: String) throws {
    let command = try #require(CommandRegistry.standard[name])
    let words = Self.words(of: command.example.commandLine)
    let start = try #require(words.firstIndex { $0.hasSuffix("historywatch") })
    let ours = words[(start + 1)...].prefix { $0 != "<" }
    let cleaned = ours.map { $0.replacing(")", with: "") }
    guard case .command(let parsed) = try CommandParser().parse(cleaned) else {
      Issue.record("not a command: \(cleaned)")
      return
    }
    #expect(parsed.command.name == name)
  }

  /// The words of a command line, as far as examples go: single quotes keep spaces.
  private static func words(of line: String) -> [String] {
    var words = [""]
    var isQuoted = false
    for character in line {
      switch character {
      case "'": isQuoted.toggle()
      case " " where !isQuoted: words.append("")
      default: words[words.count - 1].append(character)
      }
    }
    return words
  }
}
