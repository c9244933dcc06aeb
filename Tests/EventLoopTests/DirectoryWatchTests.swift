import EventLoop
import Testing

@Suite("Directory watch", .timeLimit(.minutes(1)))
struct DirectoryWatchTests {
  @Test("names that come, go and come again are all seen")
  func namesComeAndGo() async throws {
    let scratch = try ScratchDirectory()
    try await onLoop { executor in
      let seen = Happening(on: executor)
      let watch = try DirectoryWatch(directory: scratch.path, names: ["a"], on: executor) {
        if $0 == "a" { seen.happened() }
      }
      for _ in 1...20 {
        let before = seen.count
        append("x", to: scratch.file("a"))
        try await seen.reached(before + 1)
        let created = seen.count
        try shell("rm '\(scratch.file("a"))'")
        try await seen.reached(created + 1)
      }
      watch.close()
    }
  }

  @Test("other names are not called back")
  func otherNames() async throws {
    let scratch = try ScratchDirectory()
    try await onLoop { executor in
      let seen = Happening(on: executor)
      var names: Set<String?> = []
      let watch = try DirectoryWatch(directory: scratch.path, names: ["a"], on: executor) {
        names.insert($0)
        seen.happened()
      }
      append("x", to: scratch.file("b"))
      append("x", to: scratch.file("a"))
      try await seen.reached(1)
      #expect(names == ["a"])
      watch.close()
    }
  }

  @Test("a directory that is not there is an error")
  func noDirectory() async throws {
    _ = try await onLoop { executor in
      #expect(throws: LoopError.self) {
        try DirectoryWatch(directory: "/nowhere/at/all", on: executor) { _ in }
      }
    }
  }

  @Test("an ordinary directory is not silent")
  func notSilent() {
    #expect(!DirectoryWatch.isSilent(directory: "/dev/shm"))
    #expect(!DirectoryWatch.isSilent(directory: "/nowhere"))
  }
}
