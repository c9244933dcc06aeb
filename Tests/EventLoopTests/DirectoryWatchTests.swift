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
        name, _ in
        if name == "a" { seen.happened() }
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
        name, _ in
        names.insert(name)
        seen.happened()
      }
      append("x", to: scratch.file("b"))
      append("x", to: scratch.file("a"))
      try await seen.reached(1)
      #expect(names == ["a"])
      watch.close()
    }
  }

  @Test("coming and going is told from being written")
  func kinds() async throws {
    let scratch = try ScratchDirectory()
    try await onLoop { executor in
      let seen = Happening(on: executor)
      var happenings: [DirectoryWatch.Happening] = []
      let watch = try DirectoryWatch(directory: scratch.path, names: ["a"], on: executor) {
        happenings.append($1)
        seen.happened()
      }
      try shell("mkfifo '\(scratch.file("a"))'")
      try await seen.reached(1)
      try shell("touch -d @1 '\(scratch.file("a"))'")
      try await seen.reached(2)
      try shell("mv '\(scratch.file("a"))' '\(scratch.file("b"))'")
      try await seen.reached(3)
      #expect(happenings == [.renamed, .changed, .renamed])
      watch.close()
    }
  }

  @Test("a directory that is not there is an error")
  func noDirectory() async throws {
    _ = try await onLoop { executor in
      #expect(throws: LoopError.self) {
        try DirectoryWatch(directory: "/nowhere/at/all", on: executor) { _, _ in }
      }
    }
  }

  @Test("an ordinary directory is not silent")
  func notSilent() {
    #expect(!DirectoryWatch.isSilent(directory: "/dev/shm"))
    #expect(!DirectoryWatch.isSilent(directory: "/nowhere"))
  }
}
