#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension ChildProcess {
  /// Looks for a program as a process that is started does, so that a wrong name shows before.
  ///
  /// - Parameter name: A path, or a name to look up in `PATH`.
  /// - Throws: ``LoopError`` with `ENOENT` if there is no such program, or `EACCES` if it may not be
  ///   run or is no file.
  public static func lookUp(_ name: String) throws(LoopError) {
    guard !name.contains("/") else { return try checkProgram(at: name) }
    var refusal = LoopError("execvp", number: ENOENT)
    let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    for directory in path.split(separator: ":", omittingEmptySubsequences: false) {
      do throws(LoopError) {
        // An empty entry is the present directory.
        return try checkProgram(at: directory.isEmpty ? "./\(name)" : "\(directory)/\(name)")
      } catch {
        if error.number == EACCES { refusal = error }
      }
    }
    throw refusal
  }

  private static func checkProgram(at path: String) throws(LoopError) {
    var status = stat()
    guard stat(path, &status) == 0 else { throw LoopError("execvp", number: errno) }
    guard status.st_mode & S_IFMT == S_IFREG, access(path, X_OK) == 0 else {
      throw LoopError("execvp", number: EACCES)
    }
  }
}
