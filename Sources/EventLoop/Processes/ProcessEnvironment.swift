import CLibUV

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What this process was started with, and its end.
///
/// It is read from the main thread, and nothing in the process ever sets a variable.
public enum ProcessEnvironment {
  /// The value of a variable.
  ///
  /// - Parameter name: The variable's name.
  /// - Returns: Its value, or nil if it is not set.
  public static func value(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// The words that the process was started with, its own name left out.
  ///
  /// - Returns: The words, or nil if one is not valid UTF-8: `CommandLine.arguments` would change
  ///   it without a word, and another file might be meant.
  public static func arguments() -> [String]? {
    var words: [String] = []
    for place in 1..<max(1, Int(CommandLine.argc)) {
      guard let start = CommandLine.unsafeArgv[place],
        let word = String(validatingCString: start)
      else { return nil }
      words.append(word)
    }
    return words
  }

  /// The number of this process.
  public static var identifier: CInt { getpid() }

  /// Whether a descriptor is connected to a terminal.
  ///
  /// - Parameter descriptor: The descriptor, such as 1.
  /// - Returns: Whether it is open and a terminal.
  public static func isTerminal(_ descriptor: CInt) -> Bool { isatty(descriptor) == 1 }

  /// How many columns the terminal at a descriptor has.
  ///
  /// - Parameter descriptor: The descriptor, such as 1.
  /// - Returns: The columns, or nil if it is no terminal or does not know.
  public static func terminalColumns(_ descriptor: CInt) -> Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// A path from the root on.
  ///
  /// - Parameter path: A path, from the working directory where it does not begin at the root.
  /// - Returns: The path, with nothing resolved in it; as it is where there is no working directory.
  public static func absolutePath(_ path: String) -> String {
    if path.hasPrefix("/") { return path }
    var directory = [CChar](repeating: 0, count: 4096)
    var length = directory.count
    guard uv_cwd(&directory, &length) == 0 else { return path }
    let bytes = directory.prefix(length).map { UInt8(bitPattern: $0) }
    return String(decoding: bytes, as: UTF8.self) + "/" + path
  }

  /// The path of the program that runs, to start another one of it.
  ///
  /// - Returns: The path, or nil if the system does not tell.
  public static func executablePath() -> String? {
    var path = [CChar](repeating: 0, count: 4096)
    var length = path.count
    guard uv_exepath(&path, &length) == 0 else { return nil }
    return String(decoding: path.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Tells a person something where there is no loop to write with.
  ///
  /// - Parameter text: What to say on standard error.
  public static func say(_ text: String) {
    var bytes = Array(text.utf8)
    // Where nobody can be told there is nothing else to do.
    _ = write(STDERR_FILENO, &bytes, bytes.count)
  }

  /// Ends the process at once.
  ///
  /// - Parameter status: What its parent is told, 0 for success.
  public static func exit(_ status: CInt) -> Never {
    #if canImport(Glibc)
      Glibc.exit(status)
    #else
      Darwin.exit(status)
    #endif
  }
}
