import EventLoop
import HistoryModel

/// The `demo` command.
enum DemoCommand {
  static func run(
    _ arguments: ParsedArguments, in program: isolated Program
  ) async throws -> ExitCode {
    let directory: ScratchDirectory
    do throws(DurableFile.Failure) {
      directory = try ScratchDirectory(named: "historywatch-demo")
    } catch {
      throw HistoryError(
        .temporary, "no place for a temporary store: \(error)", hint: "set TMPDIR")
    }
    let screen = try DemoScreen(program)
    do {
      try await Demo(in: directory, on: screen, program).run(program)
      return .success
    } catch let interruption as DemoScreen.Interruption {
      return interruption.code
    }
  }
}
