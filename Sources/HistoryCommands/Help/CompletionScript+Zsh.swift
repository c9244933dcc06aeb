extension CompletionScript {
  /// The script for zsh, to be sourced or to be kept in a directory of `fpath`.
  static func zsh(_ registry: CommandRegistry) -> String {
    let commands = registry.commands.map { "    \(zshQuoted("\($0.name):\($0.summary)"))" }
    return """
      #compdef historywatch
      # Completion of historywatch for zsh. Save it as _historywatch in a directory of fpath,
      # or load it with: source <(historywatch completions zsh)
      _historywatch_first() {
        local -a commands=(
      \(commands.joined(separator: "\n"))
        )
        _describe -t commands command commands
        _files
      }
      _historywatch() {
        local command=\(registry.fallback.name) first=_historywatch_first i
        for ((i = 2; i < CURRENT; i++)); do
          case $words[i] in
            (--) break ;;
            (\(registry.valueOptions.joined(separator: "|"))) ((i++)) ;;
            (-*) ;;
            (\(registry.names.joined(separator: "|")))
              command=$words[i] first=_files
              words[i]=()
              ((CURRENT--))
              break ;;
            (*) break ;;
          esac
        done
        case $command in
      \(registry.commands.map { zshCase($0, in: registry) }.joined(separator: "\n"))
        esac
      }
      if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
        _historywatch "$@"
      else
        compdef _historywatch historywatch
      fi

      """
  }

  private static func zshCase(
    _ command: CommandSpecification, in registry: CommandRegistry
  ) -> String {
    let isDefault = command.name == registry.fallback.name
    var specifications = command.options(of: nil).map(zshOption)
    specifications.append(
      zshQuoted("(- *)\"{-h,--help}\"[Show this page]").replacing("\"", with: "'"))
    if isDefault { specifications.append("'(- *)--version[Print versions]'") }
    specifications += zshOperands(command, isDefault: isDefault)
    let lines = specifications.map { "        \($0)" }.joined(separator: " \\\n")
    return "    (\(command.name))\n      _arguments -S \\\n\(lines) ;;"
  }

  /// One option as `_arguments` wants it: `--name=[help]:value:(words)`.
  private static func zshOption(_ option: OptionSpecification) -> String {
    let head = (option.isRepeatable ? "*" : "") + "--\(option.name)"
    let help = "[\(zshEscaped(option.help))]"
    guard let value = option.value else { return zshQuoted(head + help) }
    let action =
      value.form == .file
      ? "_files" : value.words.isEmpty ? " " : "(\(value.words.joined(separator: " ")))"
    return zshQuoted("\(head)=\(help):\(zshEscaped(value.name)):\(action)")
  }

  /// The operands; a command with actions has them all behind the action.
  private static func zshOperands(_ command: CommandSpecification, isDefault: Bool) -> [String] {
    if !command.actions.isEmpty {
      let actions = command.actions.map { "\($0.name)\\:\"\($0.summary)\"" }
      return [
        zshQuoted("1:action:((\(actions.joined(separator: " "))))"), "'2:database:_files'",
        "'*: : '",
      ]
    }
    return command.operands.enumerated().map { place, operand in
      let position = operand.presence == .repeated ? "*" : "\(place + 1)"
      if !operand.words.isEmpty {
        return "'\(position):shell:(\(operand.words.joined(separator: " ")))'"
      }
      if operand.kind != .database { return "'\(position):\(operand.name): '" }
      return isDefault ? "\"\(position):database:$first\"" : "'\(position):database:_files'"
    }
  }

  /// Escapes what ends an explanation in a specification.
  private static func zshEscaped(_ text: String) -> String {
    text.replacing(":", with: "\\:").replacing("[", with: "\\[").replacing("]", with: "\\]")
  }

  private static func zshQuoted(_ text: String) -> String {
    "'\(text.replacing("'", with: "'\\''"))'"
  }
}
