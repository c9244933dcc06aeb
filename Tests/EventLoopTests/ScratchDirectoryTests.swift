import EventLoop
import Testing

struct ScratchDirectoryTests {
  @Test func aScratchDirectoryIsRemovedWithItsOwnerOrBefore() throws {
    var path = ""
    do {
      let directory = try EventLoop.ScratchDirectory(named: "EventLoopTests")
      path = directory.path
      append("text", to: "\(path)/file")
      #expect(try shell("test -f '\(path)/file'") == 0)
      directory.remove()
      #expect(try shell("test -e '\(path)'") != 0)
      // Once more does no harm, and nor does the end of its owner.
      directory.remove()
    }
    do {
      let directory = try EventLoop.ScratchDirectory(named: "EventLoopTests")
      path = directory.path
      append("text", to: "\(path)/file")
    }
    #expect(try shell("test -e '\(path)'") != 0)
  }
}
