import EventLoop

/// A program that shows long output a screen at a time, fed through a pipe.
final class Pager {
  /// There is no such program, so that nobody saw what was written.
  struct Missing: Error {}

  private let child: ChildProcess
  /// Ctrl-C is for the pager, which would be left behind on the terminal without us.
  private let signals: SignalWatch

  /// Starts the pager.
  ///
  /// - Parameters:
  ///   - choice: Which program.
  ///   - program: The program whose standard output it takes the place of.
  /// - Throws: ``Missing`` if it cannot be started.
  init(_ choice: PagerChoice, _ program: isolated Program) throws {
    // Before the pager is there, since it may be sent Ctrl-C as soon as it is.
    signals = try SignalWatch([.interrupt, .quit], on: program.executor) { _ in }
    do throws(LoopError) {
      child = try ChildProcess(
        .init(choice.arguments, environment: choice.environment, input: .pipe),
        on: program.executor)
    } catch {
      throw Missing()
    }
  }

  /// Gives the pager text.
  ///
  /// - Returns: False when it has been quit, and wants no more.
  func write(_ text: [UInt8], _ program: isolated Program) async throws -> Bool {
    do {
      try await child.write(text)
      return true
    } catch OutputError.readerGone {
      return false
    }
  }

  /// Waits until its user has quit it.
  ///
  /// - Throws: ``Missing`` if a shell found out that there is no such program.
  func finish(_ program: isolated Program) async throws {
    child.closeInput()
    let status = try await child.exit()
    if status == .code(127) || status == .code(126) { throw Missing() }
  }
}
