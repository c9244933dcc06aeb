import HistoryKit

/// A program that embeds `HistoryKit` and observes a store; see `run` beside the sources.
///
/// - `wake`: notes when an observer told of each commit of a writer in another process.
/// - `writing`: times a write whose observers are told beside one that tells nobody.
/// - `audience`: commits with many observers.
/// - `readers`: commits with many who wait for whole transactions.
/// - `shares`: notes which of some queries each commit made run.
/// - `refetch`: times commits that make a query run beside commits that do not.
/// - `ready`: times what a client checks before it opens a store.
/// - `catchup`: reads a whole history as transactions.
@main
struct Main {
  static func main() throws {
    let arguments = Arguments(Array(CommandLine.arguments.dropFirst()))
    guard let path = arguments.files.first else { return print("wake … catchup, and a file") }
    // The work is done where an application's is. An asynchronous main would end the first thread,
    // which valgrind does not survive.
    try LoopExecutor().runUntilComplete {
      try await Task.detached { try await run(arguments, at: path) }.value
    }
  }

  private static func run(_ arguments: Arguments, at path: String) async throws {
    switch arguments.mode {
    case "wake": try await Wake(path: path, arguments).run()
    case "writing": try await Writing(path: path, arguments).run()
    case "audience": try await Audience(path: path, arguments).run()
    case "readers": try await Readers(path: path, arguments).run()
    case "shares": try await Shares(path: path, arguments).run()
    case "refetch": try await Refetch(path: path, arguments).run()
    case "ready": try await Ready(path: path, arguments).run()
    case "catchup": try await CatchUp(path: path, arguments).run()
    default: print("there is no \(arguments.mode)")
    }
  }
}
