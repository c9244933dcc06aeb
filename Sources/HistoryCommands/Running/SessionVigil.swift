import EventLoop
import HistoryModel

/// What a session does while others do its work: it waits for a signal or a failure that ends it,
/// and tells a person what they have to say.
///
/// Confined to the program's loop.
final class SessionVigil {
  /// Why a session ends.
  enum Ending {
    case signal(ExitCode)
    case failure(HistoryError)
  }

  /// Why it ends; nil while it does not.
  private(set) var ending: Ending?
  /// What to do at once when it ends, such as to cancel what has just begun.
  var onEnd: () -> Void = {}

  private let program: Program
  private let gate: LoopGate
  private var notes = SessionNotes()
  private var signals: SignalWatch?

  /// Begins to wait for signals.
  ///
  /// - Throws: `LoopError` when the loop cannot.
  init(_ program: Program) throws {
    self.program = program
    gate = try LoopGate(on: program.executor)
    signals = try SignalWatch([.interrupt, .terminate], on: program.executor) {
      [weak self] signal in
      self?.end(.signal(signal == .interrupt ? .interrupted : .terminated))
    }
  }

  deinit { signals?.close() }

  /// Tells a person something, as soon as the messages before it are out.
  func note(_ text: String) {
    notes.add(text)
    gate.open()
  }

  /// Ends; the first reason counts.
  func end(_ reason: Ending) {
    guard ending == nil else { return }
    ending = reason
    onEnd()
    gate.open()
    // A message that nobody reads must not keep the process.
    Task { [program] in await program.abandonMessages() }
  }

  /// Waits until it ends, and writes notes meanwhile.
  func wait(isolation actor: isolated (any Actor)? = #isolation) async {
    while ending == nil {
      await writeNotes()
      if ending == nil, notes.isEmpty { _ = await gate.wait(for: nil) }
    }
  }

  /// Writes the notes that are left.
  func writeNotes(isolation actor: isolated (any Actor)? = #isolation) async {
    while let text = notes.next() { await program.note("historywatch: \(text)") }
  }

  /// What the process exits with.
  ///
  /// - Throws: The failure that ended it.
  func code() throws(HistoryError) -> ExitCode {
    switch ending {
    case .signal(let code): return code
    case .failure(let error): throw error
    case nil: return .success
    }
  }
}
