import EventLoop
import HistoryModel
import HistoryObservation
import HistoryStore

/// One run of `results`: the rows of a query, then what changes in them, as lines.
///
/// Each difference is between the rows that were printed and the newest, so a slow reader gets
/// fewer and larger ones. Confined to the program's loop.
final class ResultsSession {
  private let store: ObservedStore
  private let request: ResultsRequest
  private let isFollowing: Bool
  private let inbox = ResultsInbox()
  private var lines = LineEncoder()
  private var complaint: String?

  init(
    _ database: String, _ request: ResultsRequest, isFollowing: Bool, _ program: isolated Program
  ) throws(HistoryError) {
    store = try ObservedStore(path: database, on: program.executor)
    self.request = request
    self.isFollowing = isFollowing
  }

  /// Runs to the end.
  func run(in program: isolated Program) async throws -> ExitCode {
    let signals = try SignalWatch([.interrupt, .terminate], on: program.executor) {
      [inbox, output = program.output] signal in
      inbox.end(.signal, signal == .interrupt ? .interrupted : .terminated)
      // A write that waits for a stuck reader must not keep the process.
      output.abandon()
    }
    defer { signals.close() }
    program.output.watchForReader { [inbox] in inbox.end(.end, .readerGone) }
    await program.tellConditions(of: store)
    var printed = try await ResultsLines(oldest: store.state().oldest)
    try await store.hub.observe(request, for: inbox)
    do {
      while true {
        let contents = await inbox.take()
        if let update = contents.update {
          printed.show(update, in: &lines)
          complaint = nil
        }
        if let error = contents.error { await complain(error, program) }
        let ending = contents.ending ?? (isFollowing ? nil : (.end, .success))
        if let ending, ending.code != .readerGone {
          lines.bye(
            ending.reason, message: ending.reason == .error ? contents.error?.message : nil,
            token: printed.shown?.token)
        }
        try await flush(program)
        if let ending { return ending.code }
      }
    } catch OutputError.readerGone {
      return .readerGone
    } catch OutputError.abandoned {
      // The signal that gave it up is the ending.
      return await inbox.take().ending?.code ?? .terminated
    }
  }

  /// Says once why the query cannot be run at the moment; the rows that were printed stay good.
  private func complain(_ error: HistoryError, _ program: isolated Program) async {
    guard error.message != complaint else { return }
    complaint = error.message
    await program.complain(error)
  }

  private func flush(_ program: isolated Program) async throws {
    guard !lines.bytes.isEmpty else { return }
    let bytes = lines.bytes
    lines.bytes.removeAll(keepingCapacity: true)
    try await program.output.write(bytes)
  }
}
