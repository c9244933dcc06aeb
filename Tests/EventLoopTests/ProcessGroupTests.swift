import Testing

@testable import EventLoop

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite("Process groups")
struct ProcessGroupTests {
  /// Asked outside of an expectation, which looks at copies.
  private func isRunning(_ group: inout ProcessGroup) -> Bool { group.isRunning() }

  @Test("a group runs as long as one of its processes does")
  func running() throws {
    let executor = try LoopExecutor()
    try executor.runUntilComplete {
      let child = try ChildProcess(.init(["cat"], input: .pipe, hasOwnGroup: true), on: executor)
      var group = ProcessGroup(child.identifier)
      #expect(isRunning(&group))
      #expect(isRunning(&group), "It is remembered.")
      child.closeInput()
      _ = try await child.exit()
      #expect(!isRunning(&group))
    }
  }

  #if os(Linux)
    @Test("a process that ended does not run, even if nobody ever asks how")
    func unasked() throws {
      let process = try spawn("exec setsid true")
      var information = siginfo_t()
      // It returns once the process has ended and leaves it as it is.
      #expect(waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) == 0)
      #expect(kill(-process, 0) == 0, "The system still counts it.")
      var group = ProcessGroup(process)
      #expect(!isRunning(&group))
      waitpid(process, nil, 0)
    }
  #endif

  @Test("a process that ends when it is asked is not killed")
  func asked() throws {
    let executor = try LoopExecutor()
    let status = try executor.runUntilComplete {
      let child = try ChildProcess(.init(["cat"], input: .pipe, hasOwnGroup: true), on: executor)
      return await child.endGroup { await LoopTimer.pause(for: $0, on: executor) }
    }
    #expect(status == .signal(SIGTERM))
  }

  @Test("what does not end is killed after the grace, and not before")
  func killed() throws {
    let executor = try LoopExecutor()
    let (status, waited) = try executor.runUntilComplete {
      let child = try ChildProcess(
        .init(
          ["sh", "-c", "trap '' TERM; echo; exec sleep 600"], output: .pipe, hasOwnGroup: true),
        on: executor)
      _ = try await child.output?.read()
      // Time that passes as fast as it is asked for.
      var waited = Duration.zero
      let status = await child.endGroup(grace: .seconds(300)) {
        if child.status == nil { waited += $0 }
        await LoopTimer.pause(for: .zero, on: executor)
      }
      return (status, waited)
    }
    #expect(status == .signal(SIGKILL))
    #expect(waited >= .seconds(300))
  }

  @Test("a cancelled task waits for the end all the same")
  func cancelled() throws {
    let executor = try LoopExecutor()
    let status = try executor.runUntilComplete {
      let child = try ChildProcess(.init(["cat"], input: .pipe, hasOwnGroup: true), on: executor)
      withUnsafeCurrentTask { $0?.cancel() }
      return await child.endGroup { await LoopTimer.pause(for: $0, on: executor) }
    }
    #expect(status == .signal(SIGTERM))
  }
}
