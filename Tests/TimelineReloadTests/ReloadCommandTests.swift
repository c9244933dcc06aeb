import HistoryModel
import HistoryTestSupport
import Testing

@testable import EventLoop
@testable import TimelineReload

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite("Command of a reload")
struct ReloadCommandTests {
  private static let reload: Reload = {
    var range = HistorySummary(since: ReloadMarbles.token(0))
    range.add(author: "app", changes: 2, tables: ["tasks"], until: ReloadMarbles.token(5))
    return Reload(kind: "list", reason: .changed, range: range, attempt: 1)
  }()

  @Test(
    "exit code 0 confirms and nothing else does",
    arguments: [
      ("exit 0", .confirmed), ("exit 3", .failed(.code(3))),
      ("kill -KILL $$", .failed(.signal(SIGKILL))),
    ] as [(String, ReloadCommand.Outcome)])
  func outcome(script: String, outcome: ReloadCommand.Outcome) throws {
    let executor = try LoopExecutor()
    let result = try executor.runUntilComplete {
      let command = try ReloadCommand(["/bin/sh", "-c", script], database: "db", on: executor)
      return try await command.run(Self.reload)
    }
    #expect(result == outcome)
  }

  @Test("it learns what it is about, without a shell, with an empty input and a group of its own")
  func surroundings() throws {
    let directory = try TemporaryDirectory()
    let script = """
      exec > "$0"
      cat
      printf '%s|' "$HISTORYWATCH_DATABASE" "$HISTORYWATCH_KIND" "$HISTORYWATCH_TABLES" "$@"
      read -r _ _ _ _ group _ < /proc/$$/stat
      test "$group" = $$ && echo leads
      """
    let path = directory.file("output")
    let executor = try LoopExecutor()
    try executor.runUntilComplete {
      let command = try ReloadCommand(
        ["/bin/sh", "-c", script, path, "$HOME", "*", ";exit 3"], database: "a b", on: executor)
      #expect(try await command.run(Self.reload) == .confirmed)
    }
    let output = try DurableFile(path: path).read(limit: 4096) ?? []
    #expect(String(decoding: output, as: UTF8.self) == "a b|list|tasks|$HOME|*|;exit 3|leads\n")
  }

  @Test("a program that does not exist, or may not be run, is wrong usage, and the next run works")
  func missing() throws {
    let executor = try LoopExecutor()
    try executor.runUntilComplete {
      for program in ["/nonexistent/program", "no-such-program-anywhere", "/etc/passwd"] {
        let command = try ReloadCommand([program], database: "db", on: executor)
        for _ in 1...2 {
          do throws(HistoryError) {
            _ = try await command.run(Self.reload)
            Issue.record("It was started.")
          } catch {
            #expect(error.code == .usage)
            #expect(error.message.hasPrefix("the command \(program) cannot be started: "))
            #expect(error.hint != nil)
          }
        }
      }
    }
  }

  @Test("told to end, it may tidy up, and so may what it started; then it is ended, not confirmed")
  func ended() throws {
    let script = """
      exec 3> "$0"
      trap 'wait; echo parent tidied >&3; exit 0' TERM
      sh -c 'trap "echo child tidied >&3; exit" TERM; echo ready >&3; sleep 600 & wait' &
      wait
      """
    let (outcome, text) = try run(script)
    #expect(outcome == .ended)
    #expect(text == "ready\nchild tidied\nparent tidied\n")
  }

  @Test("what does not end by itself is killed with all of its group")
  func killed() throws {
    let script = """
      exec 3> "$0"
      trap '' TERM
      sh -c 'echo ready >&3; exec sleep 600' &
      wait
      """
    let (outcome, text) = try run(script, impatiently: true)
    #expect(outcome == .ended)
    #expect(text == "ready\n", "Nobody has the pipe open any more.")
  }

  @Test("what it started is killed even if it ended itself")
  func grandchildKilled() throws {
    let script = """
      exec 3> "$0"
      sh -c 'trap "" TERM; echo ready >&3; exec sleep 600' &
      wait
      """
    let (outcome, text) = try run(script, impatiently: true)
    #expect(outcome == .ended)
    #expect(text == "ready\n")
  }

  @Test("a cancelled task ends it and waits for that")
  func cancelled() throws {
    let directory = try TemporaryDirectory()
    let pipe = try NamedPipe(in: directory)
    let script =
      #"exec 3> "$0"; trap 'echo tidied >&3; exit' TERM; echo ready >&3; sleep 600 & wait"#
    let executor = try LoopExecutor()
    let (outcome, text) = try executor.runUntilComplete {
      let task = Task.detached(executorPreference: executor) {
        let command = try ReloadCommand(
          ["/bin/sh", "-c", script, pipe.path], database: "db", on: executor)
        return try await command.run(Self.reload)
      }
      let port = InputPort(descriptor: pipe.descriptor, on: executor)
      #expect(String(decoding: try await port.read(), as: UTF8.self) == "ready\n")
      task.cancel()
      return (try await task.value, try await pipe.text(on: executor))
    }
    #expect(outcome == .ended)
    #expect(text == "tidied\n")
  }

  @Test("a task that is cancelled already starts nothing")
  func cancelledBefore() throws {
    let executor = try LoopExecutor()
    let outcome = try executor.runUntilComplete {
      withUnsafeCurrentTask { $0?.cancel() }
      let command = try ReloadCommand(["/nonexistent/program"], database: "db", on: executor)
      return try await command.run(Self.reload)
    }
    #expect(outcome == .ended)
  }

  @Test("told to end while nothing runs, it does nothing")
  func endedAtRest() throws {
    let executor = try LoopExecutor()
    let outcome = try executor.runUntilComplete {
      let command = try ReloadCommand(["true"], database: "db", on: executor)
      command.end()
      return try await command.run(Self.reload)
    }
    #expect(outcome == .confirmed)
  }

  @Test("what it leaves in the background goes on when it ends by itself")
  func background() throws {
    let directory = try TemporaryDirectory()
    let pipe = try NamedPipe(in: directory)
    let gate = directory.file("gate")
    #expect(mkfifo(gate, 0o600) == 0)
    let script = #"exec 3> "$0"; (read -r _ < "$1"; echo after >&3) & exit 0"#
    let executor = try LoopExecutor()
    let text = try executor.runUntilComplete {
      let command = try ReloadCommand(
        ["/bin/sh", "-c", script, pipe.path, gate], database: "db", on: executor)
      #expect(try await command.run(Self.reload) == .confirmed)
      let opener = try ChildProcess(.init(["/bin/sh", "-c", #"echo > "$0""#, gate]), on: executor)
      _ = try await opener.exit()
      return try await pipe.text(on: executor)
    }
    #expect(text == "after\n")
  }

  /// Runs a script until it has written something to the pipe that it is given, then has it end.
  private func run(
    _ script: String, impatiently: Bool = false
  ) throws -> (ReloadCommand.Outcome, String) {
    let directory = try TemporaryDirectory()
    let pipe = try NamedPipe(in: directory)
    let executor = try LoopExecutor()
    return try executor.runUntilComplete {
      let atOnce: nonisolated(nonsending) (Duration) async -> Void = { _ in
        await LoopTimer.pause(for: .zero, on: executor)
      }
      let command = try ReloadCommand(
        ["/bin/sh", "-c", script, pipe.path], database: "db", on: executor,
        pausing: impatiently ? atOnce : nil)
      let watch = try DescriptorWatch(pipe.descriptor, on: executor) { command.end() }
      try watch.wait(for: .readable)
      let outcome = try await command.run(Self.reload)
      try watch.wait(for: .nothing)
      return (outcome, try await pipe.text(on: executor))
    }
  }
}
