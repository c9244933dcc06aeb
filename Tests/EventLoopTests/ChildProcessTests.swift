import Testing

@testable import EventLoop

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite("Child processes")
struct ChildProcessTests {
  @Test("a process ends with its code", arguments: [0, 1, 42] as [CInt])
  func code(code: CInt) throws {
    let executor = try LoopExecutor()
    let status = try executor.runUntilComplete {
      try await ChildProcess(.init(["sh", "-c", "exit \(code)"]), on: executor).exit()
    }
    #expect(status == .code(code))
    #expect(status.shellCode == code)
  }

  @Test("a process that a signal ended says which")
  func signal() throws {
    let executor = try LoopExecutor()
    let (status, isSentAgain) = try executor.runUntilComplete {
      let child = try ChildProcess(.init(["cat"], input: .pipe), on: executor)
      #expect(child.identifier > 0)
      #expect(child.status == nil)
      #expect(child.send(.terminate))
      // Two may wait, and whoever asks later is told at once.
      let status = try await child.exit()
      #expect(try await child.exit() == status)
      return (status, child.send(.terminate))
    }
    #expect(status == .signal(SIGTERM))
    #expect(status.shellCode == 143)
    #expect(!isSentAgain)
  }

  @Test("its output can be read to the end by who has let the process go")
  func outputOutlivesIt() throws {
    let executor = try LoopExecutor()
    let text = try executor.runUntilComplete {
      var child: ChildProcess? = try ChildProcess(
        .init(["sh", "-c", "echo said"], output: .pipe), on: executor)
      let output = try #require(child?.output)
      _ = try await child?.exit()
      child = nil
      var text: [UInt8] = []
      while true {
        let more = try await output.read()
        if more.isEmpty { return text }
        text += more
      }
    }
    #expect(text == Array("said\n".utf8))
  }

  @Test("what is written to its input comes out of its output, with its end")
  func pipes() throws {
    let executor = try LoopExecutor()
    let bytes = [UInt8](repeating: 0x61, count: 1 << 18)
    let (received, status) = try executor.runUntilComplete {
      let child = try ChildProcess(
        .init(["cat"], input: .pipe, output: .pipe), on: executor)
      let output = try #require(child.output)
      var received: [UInt8] = []
      // Less than a pipe holds at a time, so that neither side waits for the other.
      for start in stride(from: 0, to: bytes.count, by: 1 << 14) {
        try await child.write(Array(bytes[start..<start + 1 << 14]))
        received += try await output.read()
      }
      child.closeInput()
      while true {
        let more = try await output.read()
        if more.isEmpty { break }
        received += more
      }
      return (received, try await child.exit())
    }
    #expect(received == bytes)
    #expect(status == .code(0))
  }

  @Test("a process that ended takes no more input")
  func goneReader() throws {
    let executor = try LoopExecutor()
    LoopExecutor.ignoreBrokenPipes()
    let error = try executor.runUntilComplete { () -> OutputError? in
      let child = try ChildProcess(.init(["true"], input: .pipe), on: executor)
      _ = try await child.exit()
      do {
        // A process that another test is just starting holds every descriptor until it runs its program.
        while true { try await child.write([0]) }
      } catch {
        return error as? OutputError
      }
    }
    #expect(error == .readerGone)
  }

  @Test("variables are added and replaced, and no shell reads the arguments")
  func environment() throws {
    let executor = try LoopExecutor()
    let script = #"printf '%s|%s|%s' "$HISTORYWATCH_TEST" "$HOME" "$1""#
    let text = try executor.runUntilComplete {
      let child = try ChildProcess(
        .init(
          ["sh", "-c", script, "sh", "$HOME *"],
          environment: ["HISTORYWATCH_TEST": "a b", "HOME": "/nowhere"], output: .pipe),
        on: executor)
      let text = try await child.output?.read() ?? []
      _ = try await child.exit()
      return text
    }
    #expect(String(decoding: text, as: UTF8.self) == "a b|/nowhere|$HOME *")
  }

  @Test("variables of ours can be withheld, but not those that are given")
  func withheld() throws {
    let executor = try LoopExecutor()
    let text = try executor.runUntilComplete {
      let child = try ChildProcess(
        .init(
          ["/bin/sh", "-c", #"printf '%s|%s|%s' "${HOME-none}" "$A" "${PATH:+some}""#],
          environment: ["A": "given"], withheld: ["HOME", "A"], output: .pipe),
        on: executor)
      let text = try await child.output?.read() ?? []
      _ = try await child.exit()
      return text
    }
    #expect(String(decoding: text, as: UTF8.self) == "none|given|some")
  }

  @Test("who does not wait for it is called when it ends, once")
  func onExit() throws {
    let executor = try LoopExecutor()
    try executor.runUntilComplete {
      let happening = Happening(on: executor)
      let child = try ChildProcess(.init(["true"]), on: executor)
      child.onExit = { happening.happened() }
      try await happening.reached(1)
      #expect(child.status == .code(0))
      #expect(child.onExit == nil)
    }
  }

  @Test("its standard input is empty and its errors can be had")
  func streams() throws {
    let executor = try LoopExecutor()
    let text = try executor.runUntilComplete {
      let child = try ChildProcess(
        .init(["sh", "-c", "wc -c >&2"], output: .null, errors: .pipe), on: executor)
      let text = try await child.errors?.read() ?? []
      _ = try await child.exit()
      return text
    }
    #expect(String(decoding: text, as: UTF8.self).contains("0"))
  }

  @Test("a signal to its group reaches what it started")
  func group() throws {
    let executor = try LoopExecutor()
    let rest = try executor.runUntilComplete {
      // The grandchild keeps the output open for as long as it lives.
      let child = try ChildProcess(
        .init(
          ["sh", "-c", "sh -c 'echo; exec sleep 600' & wait"], output: .pipe, hasOwnGroup: true),
        on: executor)
      let output = try #require(child.output)
      #expect(try await output.read() == [0x0A])
      #expect(child.send(.terminate, toGroup: true))
      let rest = try await output.read()
      #expect(try await child.exit() == .signal(SIGTERM))
      return rest
    }
    #expect(rest == [])
  }

  @Test("a program that does not exist, or may not be run, is an error, and the loop goes on")
  func missing() throws {
    let executor = try LoopExecutor()
    let numbers = try executor.runUntilComplete {
      var numbers: [CInt] = []
      for path in ["/nonexistent/program", "no-such-program-anywhere", "/etc/passwd"] {
        do throws(LoopError) {
          _ = try ChildProcess(.init([path], input: .pipe), on: executor)
        } catch {
          #expect(error.operation == "uv_spawn")
          numbers.append(error.number)
        }
      }
      let status = try await ChildProcess(.init(["true"]), on: executor).exit()
      #expect(status == .code(0))
      return numbers
    }
    #expect(numbers == [ENOENT, ENOENT, EACCES])
  }

  @Test("waiting can be cancelled, and the process goes on")
  func cancelled() throws {
    let executor = try LoopExecutor()
    try executor.runUntilComplete {
      let child = try ChildProcess(.init(["cat"], input: .pipe), on: executor)
      withUnsafeCurrentTask { $0?.cancel() }
      await #expect(throws: CancellationError.self) { try await child.exit() }
      #expect(child.status == nil)
      #expect(child.send(.kill))
    }
  }
}

@Suite("The process's environment")
struct ProcessEnvironmentTests {
  @Test("variables have values or not, and a closed descriptor is no terminal")
  func values() {
    #expect(ProcessEnvironment.value("PATH")?.isEmpty == false)
    #expect(ProcessEnvironment.value("HISTORYWATCH_NOT_SET_BY_ANYONE") == nil)
    #expect(!ProcessEnvironment.isTerminal(-1))
    #expect(ProcessEnvironment.terminalColumns(-1) == nil)
    #expect(ProcessEnvironment.executablePath()?.hasPrefix("/") == true)
  }
}
