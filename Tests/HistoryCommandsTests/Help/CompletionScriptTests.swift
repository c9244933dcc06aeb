import Testing

@testable import HistoryCommands

@Suite("Completion scripts")
struct CompletionScriptTests {
  @Test("every command and option is in every script", arguments: CompletionScript.Shell.allCases)
  func complete(shell: CompletionScript.Shell) {
    let script = CompletionScript(shell).text
    for command in CommandRegistry.standard.commands {
      #expect(script.contains(command.name))
      for option in command.options(of: nil) {
        let form = shell == .fish ? "-l \(option.name)" : "--\(option.name)"
        #expect(script.contains(form), "\(command.name) --\(option.name)")
        for word in option.value?.words ?? [] { #expect(script.contains(word)) }
      }
    }
    #expect(script.hasSuffix("\n") && !script.hasSuffix("\n\n"))
  }

  @Test(
    "bash completes commands, options and values",
    arguments: [
      ("st", "stream status"),
      ("--no-follow --si", "--since"),
      ("--vers", "--version"),
      ("stream --vers", ""),
      ("--since ''", "oldest now"),
      ("--since =", "oldest now"),
      ("--since = o", "oldest"),
      ("--since = oldest lo", "log"),
      ("stream --snapshot i", "initial"),
      ("log --no-p", "--no-pager"),
      ("consumer ''", "list create acknowledge remove"),
      ("consumer create a.db name --a", "--at"),
      ("consumer create a.db name --at ''", "oldest"),
      ("completions ''", "bash zsh fish"),
      ("track a.db ''", ""),
      ("write a.db --file ''", ""),
      ("stream -- st", ""),
    ])
  func bash(words: String, expected: String) {
    let script = """
      \(CompletionScript(.bash).text)
      complete -p historywatch >/dev/null || exit 9
      COMP_WORDS=(historywatch \(words))
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      _historywatch
      [[ "${COMPREPLY[*]}" == "\(expected)" ]] || { echo "got ${COMPREPLY[*]}" >&2; exit 8; }
      exit 0
      """
    #expect(ShellCommand.status(of: "bash --norc", script: script) == 0)
  }

  @Test("zsh accepts its script", .enabled(if: ShellCommand.isInstalled("zsh")))
  func zsh() {
    #expect(CompletionScript(.zsh).text.hasPrefix("#compdef historywatch\n"))
    #expect(ShellCommand.status(of: "zsh -f -n", script: CompletionScript(.zsh).text) == 0)
  }

  @Test(
    "fish completes commands, options and values", .enabled(if: ShellCommand.isInstalled("fish")),
    arguments: [
      ("historywatch st", "status stream"),
      ("historywatch --sn", "--snapshot"),
      ("historywatch stream --group ", "row transaction"),
      ("historywatch --since oldest lo", "log"),
      ("historywatch consumer ", "acknowledge create list remove"),
      ("historywatch completions ", "bash fish zsh"),
      ("historywatch log --no-p", "--no-pager"),
    ])
  func fish(line: String, expected: String) {
    let script = """
      \(CompletionScript(.fish).text)
      set -l got (complete -C '\(line)' | string replace -r '\\t.*' '' | sort)
      test "$got" = "\(expected)"; or begin; echo "got $got" >&2; exit 8; end
      exit 0
      """
    #expect(ShellCommand.status(of: "fish --no-config", script: script) == 0)
  }
}
