#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs a script in a real shell, for tests.
enum ShellCommand {
  /// Whether a program is installed.
  static func isInstalled(_ program: String) -> Bool {
    status(of: "sh", script: "command -v \(program) >/dev/null") == 0
  }

  /// Gives a script to a command's standard input and returns its exit status.
  ///
  /// It is -1 if the command could not be started or was ended by a signal.
  static func status(of command: String, script: String) -> Int32 {
    guard let pipe = popen(command, "w") else { return -1 }
    fputs(script, pipe)
    let status = pclose(pipe)
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : -1
  }
}
