import EventLoop

/// Where the demo is shown: a terminal, at the pace of a reader, or anything else, at once.
final class DemoScreen {
  /// A signal came; what the process then exits with.
  struct Interruption: Error {
    let code: ExitCode
  }

  /// How long a person gets to read a step.
  private static let pause = Duration.milliseconds(600)

  private let isTerminal = ProcessEnvironment.isTerminal(1)
  private let style: TerminalStyle
  private let gate: LoopGate
  private var signals: SignalWatch?
  private var interruption: Interruption?

  init(_ program: isolated Program) throws {
    style = program.style
    gate = try LoopGate(on: program.executor)
    signals = try SignalWatch([.interrupt, .terminate, .hangUp], on: program.executor) {
      [weak self] signal in
      self?.interrupt(by: signal)
    }
  }

  private func interrupt(by signal: SignalWatch.Signal) {
    let code: ExitCode = signal == .interrupt ? .interrupted : .terminated
    interruption = interruption ?? Interruption(code: code)
    gate.open()
  }

  /// Ends the demo if a signal came.
  func check() throws(Interruption) {
    if let interruption { throw interruption }
  }

  /// Says what comes.
  func say(_ text: String, _ program: isolated Program) async throws {
    try check()
    try await program.print("\n" + style.bold(text) + "\n")
    try await pause(program)
  }

  /// Shows a command as if it were typed.
  func type(_ command: String, _ program: isolated Program) async throws {
    try check()
    try await program.print(style.dim("$ ") + command + "\n")
    try await pause(program)
  }

  /// Shows a line of a stream.
  func show(_ line: String, _ program: isolated Program) async throws {
    try await program.print((isTerminal ? DemoLine(line, style).text : line) + "\n")
  }

  /// Says what to do next.
  func end(_ program: isolated Program) async throws {
    let rows = [
      ("track app.db", "capture its changes, whoever makes them"),
      ("app.db", "watch them, as JSON lines"),
      ("log app.db", "read them, as a person"),
      ("--help", "everything else"),
    ]
    try await say("Now with a database of yours:", program)
    let lines = TextColumns.rows(rows.map { ("historywatch \($0.0)", $0.1) })
    try await program.print(lines.map { $0 + "\n" }.joined())
  }

  private func pause(_ program: isolated Program) async throws {
    guard isTerminal else { return }
    _ = await gate.wait(for: Self.pause)
    try check()
  }
}

/// A line of a stream, made shorter and in colour for a person.
///
/// Only the look changes: long tokens are cut, and so is the store's number.
struct DemoLine {
  /// The line as it is shown.
  let text: String

  init(_ line: String, _ style: TerminalStyle) {
    var shown = ""
    // In these lines no name or value has a quotation mark in it.
    for (place, part) in line.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
    {
      if place > 0 { shown += "\"" }
      let name = shown.split(separator: ",").last ?? ""
      if part.hasPrefix("hw1.") && part.count > 16 {
        shown += "hw1.…\(part.suffix(4))"
      } else if name.hasSuffix("\"store\":\"") {
        shown += "\(part.prefix(4))…"
      } else if name.hasSuffix("\"author\":\"") {
        shown += style.author(String(part))
      } else if name.hasSuffix("{\"kind\":\"") {
        shown += style.bold(String(part))
      } else {
        shown += part
      }
    }
    text = shown
  }
}
