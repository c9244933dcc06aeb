extension CompletionScript {
  /// The script for fish.
  ///
  /// Fish completes file names by itself, which is what databases need.
  static func fish(_ registry: CommandRegistry) -> String {
    let commands = registry.commands.map { command in
      "complete -c historywatch -n '__historywatch_at \"\" 0' -a \(command.name)"
        + " -d \(fishQuoted(command.summary))"
    }
    return """
      # Completion of historywatch for fish. Save it as
      # ~/.config/fish/completions/historywatch.fish
      # or load it with: historywatch completions fish | source

      # Prints the command, or an empty line, and then how many operands follow it.
      function __historywatch_place
        set -l words (commandline -opc)
        set -e words[1]
        set -l command ""
        set -l operands 0
        set -l skip 0
        for word in $words
          if test $skip = 1
            set skip 0
            continue
          end
          switch $word
            case \(registry.valueOptions.joined(separator: " "))
              set skip 1
            case '-*'
            case \(registry.names.joined(separator: " "))
              if test -z "$command" -a $operands = 0
                set command $word
              else
                set operands (math $operands + 1)
              end
            case '*'
              set operands (math $operands + 1)
          end
        end
        echo "$command"
        echo $operands
      end

      # Whether that command was given, and that many operands if a number is given.
      function __historywatch_at
        set -l place (__historywatch_place)
        test "$place[1]" = "$argv[1]"; or return 1
        test (count $argv) = 1; or test "$place[2]" = "$argv[2]"
      end

      complete -c historywatch -s h -l help -d 'Show the help page'
      complete -c historywatch -n '__historywatch_at "" 0' -l version -d 'Print versions'
      \(commands.joined(separator: "\n"))
      \(registry.commands.flatMap { fishLines($0, in: registry) }.joined(separator: "\n"))

      """
  }

  private static func fishLines(
    _ command: CommandSpecification, in registry: CommandRegistry
  ) -> [String] {
    let words = command.firstWords.map { word in
      "complete -c historywatch -n '__historywatch_at \(command.name) 0' -f -a \(word.name)"
        + (word.summary.isEmpty ? "" : " -d \(fishQuoted(word.summary))")
    }
    let isDefault = command.name == registry.fallback.name
    let condition =
      "__historywatch_at \(command.name)" + (isDefault ? "; or __historywatch_at \"\"" : "")
    return words
      + command.options(of: nil).map { option in
        "complete -c historywatch -n '\(condition)' -l \(option.name)\(fishValue(option.value))"
          + " -d \(fishQuoted(option.help))"
      }
  }

  private static func fishValue(_ value: ValueSpecification?) -> String {
    guard let value else { return "" }
    if value.form == .file { return " -r" }
    return value.words.isEmpty ? " -x" : " -x -a '\(value.words.joined(separator: " "))'"
  }

  private static func fishQuoted(_ text: String) -> String {
    "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
  }
}
