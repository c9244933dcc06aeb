import HistoryModel
import HistoryStore
import HistorySync
import HistoryTestSupport
import SQLite
import Testing

@Suite("Following a relay into a store that others use")
struct RelayLockTests {
  @Test("what could not be applied because of a lock comes again once it is gone")
  func locked() async throws {
    let scene = MemoryScene(server: MemoryServer())
    let relayed = try RelayPair(scene)
    let applier = try HistoryApplier(path: relayed.pair.stores[1].path, busyTimeout: 0)
    let follower = RelayFollower(
      applier, following: relayed.identifier, resynchronizes: false)
    let other = try relayed.pair.stores[1].connection()
    for round in 1...3 {
      for number in 1...5 {
        try relayed.write("INSERT INTO t VALUES(\(round * 10 + number), 'row')")
      }
      try await relayed.relay()
      let source = try await scene.source(of: relayed.identifier)
      defer { source.close() }
      let last = try await follower.begin(source)
      try other.execute("BEGIN IMMEDIATE")
      let error = await #expect(throws: HistoryError.self) {
        while let message = try await source.next() { _ = try follower.take(message) }
      }
      #expect(error?.passesByItself == true)
      try other.execute("ROLLBACK")
      #expect(try await follower.begin(source) == last)
      while follower.sequence < last {
        if let message = try await source.next() { #expect(try follower.take(message).follows) }
      }
      #expect(try relayed.rows(1) == relayed.rows(0))
    }
    #expect(try relayed.pair.lines(1) == relayed.pair.lines(0))
  }
}
