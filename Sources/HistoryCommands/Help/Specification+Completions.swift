extension CommandSpecification {
  /// The table of `completions`.
  static let completions = CommandSpecification(
    name: "completions", group: .learn,
    summary: "Print the completion script of a shell",
    operands: [
      OperandSpecification("SHELL", .choice(CompletionScript.Shell.allCases.map(\.rawValue)))
    ],
    discussion: [
      "The SHELL is bash, zsh or fish. Bash: put the example into ~/.bashrc. Zsh: save it as "
        + "_historywatch in a directory of fpath. Fish: save it as "
        + "~/.config/fish/completions/historywatch.fish."
    ],
    example: ExampleSpecification(
      commandLine: "source <(historywatch completions bash)",
      explanation: "Completes commands, options and their values in this shell."),
    exits: [ExitSpecification(.success), ExitSpecification(.usage)])
}
