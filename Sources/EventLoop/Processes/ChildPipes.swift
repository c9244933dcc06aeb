import CLibUV

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The pipes between this process and one that it starts.
///
/// Both ends close on exec: the new process gets copies of its ends, and nobody else gets any.
final class ChildPipes {
  /// Our end of its standard input.
  private(set) var input: CInt?
  /// Our end of its standard output.
  private(set) var output: CInt?
  /// Our end of its standard error.
  private(set) var errors: CInt?
  /// Its end of its standard input.
  private(set) var theirInput: CInt?
  /// Its end of its standard output.
  private(set) var theirOutput: CInt?
  /// Its end of its standard error.
  private(set) var theirErrors: CInt?

  /// Makes the pipes that a command asks for.
  init(_ command: ChildProcess.Command) throws(LoopError) {
    if command.input == .pipe { (theirInput, input) = try Self.ends() }
    if command.output == .pipe { (output, theirOutput) = try Self.ends() }
    if command.errors == .pipe { (errors, theirErrors) = try Self.ends() }
  }

  deinit {
    closeTheirs()
    closeInput()
    Self.close(&output)
    Self.close(&errors)
  }

  /// Closes the ends of the other process, which has its own copies by now.
  func closeTheirs() {
    Self.close(&theirInput)
    Self.close(&theirOutput)
    Self.close(&theirErrors)
  }

  /// Closes our end of its standard input.
  func closeInput() { Self.close(&input) }

  private static func ends() throws(LoopError) -> (reading: CInt, writing: CInt) {
    var ends: [CInt] = [0, 0]
    // It sets the flag in the same call where the system can. Blocking, as the other side expects.
    try check("uv_pipe", uv_pipe(&ends, 0, 0))
    return (ends[0], ends[1])
  }

  private static func close(_ descriptor: inout CInt?) {
    guard let open = descriptor.take() else { return }
    #if canImport(Glibc)
      _ = Glibc.close(open)
    #else
      _ = Darwin.close(open)
    #endif
  }
}
