private import Glibc

extension HistorywatchProcess {
  /// The path of the program: beside the bundle of the tests, where the build puts both.
  ///
  /// - Returns: The path.
  /// - Throws: ``Failure`` if it is not there.
  public static func path() throws -> String { try path(of: "historywatch") }

  /// The path of a program that is beside the bundle of the tests.
  ///
  /// - Parameter name: The program's name.
  /// - Returns: The path.
  /// - Throws: ``Failure`` if it is not there.
  package static func path(of name: String) throws -> String {
    guard let resolved = realpath("/proc/self/exe", nil) else {
      throw OperatingSystemError("realpath")
    }
    defer { free(resolved) }
    var directory = String(cString: resolved)[...]
    while let slash = directory.lastIndex(of: "/") {
      directory = directory[..<slash]
      let candidate = "\(directory)/\(name)"
      var status = stat()
      if stat(candidate, &status) == 0, status.st_mode & S_IFMT == S_IFREG { return candidate }
    }
    throw Failure(description: "there is no \(name) beside the tests; build it first")
  }
}
