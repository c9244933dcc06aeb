/// What the command line asks for.
enum Invocation: Sendable {
  /// The help page of a command, or the list of commands.
  case help(CommandSpecification?)
  /// The page for man of a command, or of the program.
  case manual(CommandSpecification?)
  /// The versions of the program and its libraries.
  case version
  /// A command.
  case command(ParsedArguments)
}
