extension CompletionScript {
  /// The script for bash, from version 3.2 on.
  ///
  /// Where it offers nothing bash completes file names, which is what databases need.
  static func bash(_ registry: CommandRegistry) -> String {
    let values = registry.commands.flatMap(bashValues).joined(separator: "\n")
    let options = registry.commands.map(bashOptions).joined(separator: "\n")
    let words = registry.commands.filter { !$0.firstWords.isEmpty }.map { command in
      "    \(command.name):0) words=\"\(joined(command.firstWords.map(\.name)))\" ;;"
    }
    return """
      # Completion of historywatch for bash. Load it with
      #   source <(historywatch completions bash)
      _historywatch() {
        local word="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
        local command="" operands=0 words="" i
        COMPREPLY=()
        # Bash takes --option=value for three words.
        if [[ $word == "=" ]]; then
          word=""
        elif [[ $previous == "=" ]]; then
          previous="${COMP_WORDS[COMP_CWORD-2]}"
        fi
        for ((i = 1; i < COMP_CWORD; i++)); do
          case "${COMP_WORDS[i]}" in
            --) return ;;
            \(registry.valueOptions.joined(separator: "|")))
              [[ "${COMP_WORDS[i+1]}" == "=" ]] && i=$((i + 1))
              i=$((i + 1)) ;;
            -*|=) ;;
            \(registry.names.joined(separator: "|")))
              if [[ -z $command && $operands == 0 ]]; then
                command="${COMP_WORDS[i]}"
              else
                operands=$((operands + 1))
              fi ;;
            *) operands=$((operands + 1)) ;;
          esac
        done
        case "${command:-\(registry.fallback.name)} $previous" in
      \(values)
        esac
        if [[ $word == -* ]]; then
          case "${command:-\(registry.fallback.name)}" in
      \(options)
          esac
          [[ -z $command ]] && words="$words --version"
        else
          case "$command:$operands" in
          :0) words="\(joined(registry.names))" ;;
      \(words.joined(separator: "\n"))
          esac
        fi
        COMPREPLY=($(compgen -W "$words" -- "$word"))
      }
      complete -o bashdefault -o default -F _historywatch historywatch

      """
  }

  /// The cases for the values of a command's options.
  private static func bashValues(_ command: CommandSpecification) -> [String] {
    let taking = command.options(of: nil).filter { $0.value != nil }
    let free = taking.filter { $0.value?.form != .file && $0.value?.words.isEmpty ?? true }
    let files = taking.filter { $0.value?.form == .file }
    let worded = taking.filter { !($0.value?.words.isEmpty ?? true) }
    func pattern(_ options: [OptionSpecification]) -> String {
      options.map { "\"\(command.name) --\($0.name)\"" }.joined(separator: "|")
    }
    var cases = worded.map { option in
      "    \(pattern([option]))) "
        + "COMPREPLY=($(compgen -W \"\(joined(option.value?.words ?? []))\" -- \"$word\")); return ;;"
    }
    if !files.isEmpty { cases.append("    \(pattern(files))) return ;;") }
    if !free.isEmpty {
      cases.append("    \(pattern(free))) compopt +o default +o bashdefault 2>/dev/null; return ;;")
    }
    return cases
  }

  private static func bashOptions(_ command: CommandSpecification) -> String {
    let names = command.options(of: nil).map { "--\($0.name)" } + ["--help"]
    return "    \(command.name)) words=\"\(joined(names))\" ;;"
  }

  private static func joined(_ words: [String]) -> String { words.joined(separator: " ") }
}
