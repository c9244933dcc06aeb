import EventLoop
import HistoryModel
import HistoryTestSupport
import StoreBoundary
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite("Snapshot writer", .timeLimit(.minutes(1)))
struct SnapshotWriterTests {
  private struct OwnError: Error, Equatable { var number: Int }

  @Test("the file has format, schema, token, time and payload, in this order")
  func format() async throws {
    let scene = try SnapshotScene()
    let token = HistoryToken(
      storeIdentifier: StoreIdentifier(), epoch: 1, sequence: 7, check: 9)
    let writer = try scene.writer(payload: { (Facts(open: 2), token) })
    let snapshot = try await writer.write()
    #expect(
      try scene.text()
        == #"{"format":1,"schema":3,"token":"\#(token)","generatedAt":"2027-01-15T08:00:00.000Z","#
        + #""payload":{"open":2}}"# + "\n")
    #expect(scene.reader().read().snapshot == snapshot)
    #expect(await writer.snapshot == snapshot)
    #expect(await writer.error == nil)
  }

  @Test("what is asked for while a file is written makes exactly one more")
  func coalescing() async throws {
    let scene = try SnapshotScene()
    let source = FactsSource()
    let writer = try scene.writer(payload: source.ask)
    writer.requestWrite()
    await source.waitForQuestion(1)
    for _ in 0..<5 { writer.requestWrite() }
    await source.answer(1, .success(1))
    await source.answer(2, .success(2))
    // Whoever asks for the third now is the only one who does.
    let third = Task { try await writer.write() }
    await source.answer(3, .success(3))
    #expect(try await third.value.payload == Facts(open: 3))
    #expect(await source.count == 3)
    await writer.stop()
    #expect(await source.count == 3)
  }

  @Test("a reload is asked for only when the file is on the disk, and then with what is in it")
  func reload() async throws {
    let scene = try SnapshotScene()
    let (reloads, continuation) = AsyncStream.makeStream(of: (Int, Int).self)
    let (path, number) = (scene.path, Guarded(0))
    let writer = try scene.writer(
      payload: {
        let next = number.withLock { number -> Int in
          number += 1
          return number
        }
        return (Facts(open: next), nil)
      },
      reload: { snapshot in
        let reader = SnapshotReader(path: path, schema: 3, empty: Facts(open: -1))
        continuation.yield((snapshot.payload.open, reader.read().payload.open))
      })
    var iterator = reloads.makeAsyncIterator()
    for count in 1...3 {
      try await writer.write()
      let seen = try #require(await iterator.next())
      #expect(seen.0 == count)
      #expect(seen.1 == count)
    }
  }

  @Test("a reload that fails is seen, does not keep the file from being written, and comes again")
  func failedReload() async throws {
    let scene = try SnapshotScene()
    let (reloads, continuation) = AsyncStream.makeStream(of: Int.self)
    let failures = Guarded(1)
    let writer = try scene.writer(
      payload: { (Facts(open: 1), nil) },
      reload: { snapshot in
        let fails = failures.withLock { left -> Bool in
          defer { left -= 1 }
          return left > 0
        }
        if fails { throw OwnError(number: 5) }
        continuation.yield(snapshot.payload.open)
      })
    try await writer.write()
    while await writer.reloadError == nil { await Task.yield() }
    #expect(await writer.reloadError as? OwnError == OwnError(number: 5))
    #expect(await writer.error == nil)
    var iterator = reloads.makeAsyncIterator()
    await scene.clock.advance(by: .seconds(1), on: scene.executor)
    #expect(await iterator.next() == 1)
    while await writer.reloadError != nil { await Task.yield() }
  }

  @Test("a file that cannot be written is tried again after a pause, with the facts of then")
  func retry() async throws {
    let scene = try SnapshotScene(file: "missing/facts.json")
    let source = FactsSource()
    let (reloads, continuation) = AsyncStream.makeStream(of: Int.self)
    let writer = try scene.writer(
      payload: source.ask, reload: { continuation.yield($0.payload.open) })
    let first = Task { try await writer.write() }
    await source.answer(1, .success(1))
    let thrown = await #expect(throws: HistoryError.self) { try await first.value }
    #expect(thrown?.code == .temporary)
    #expect((await writer.error as? HistoryError)?.message == thrown?.message)
    #expect(await writer.snapshot == nil)
    #expect(mkdir(scene.directory.file("missing"), 0o700) == 0)
    await scene.clock.advance(by: .milliseconds(999), on: scene.executor)
    #expect(await source.count == 1)
    await scene.clock.advance(by: .milliseconds(1), on: scene.executor)
    await source.answer(2, .success(2))
    var iterator = reloads.makeAsyncIterator()
    #expect(await iterator.next() == 2)
    #expect(await writer.error == nil)
    #expect(scene.reader().read().payload == Facts(open: 2))
  }

  @Test("facts that cannot be found or encoded leave the file of before")
  func oldFile() async throws {
    let scene = try SnapshotScene()
    let source = FactsSource()
    let writer = try scene.writer(payload: source.ask)
    let first = Task { try await writer.write() }
    await source.answer(1, .success(1))
    _ = try await first.value
    let before = try scene.text()
    let second = Task { try await writer.write() }
    await source.answer(2, .failure(OwnError(number: 3)))
    await #expect(throws: OwnError(number: 3)) { try await second.value }
    #expect(await writer.error as? OwnError == OwnError(number: 3))
    #expect(try scene.text() == before)
    #expect(await writer.snapshot?.payload == Facts(open: 1))

    let infinite = try SnapshotWriter<[Double]>(path: scene.path, schema: 1) { ([.infinity], nil) }
    let error = await #expect(throws: HistoryError.self) { try await infinite.write() }
    #expect(error?.code == .usage)
    #expect(try scene.text() == before)
    #expect(try FileNames.list(scene.directory.path) == ["facts.json"])
  }

  @Test("once stopped it writes nothing, and says so to whoever waits")
  func stopped() async throws {
    let scene = try SnapshotScene()
    let source = FactsSource()
    let writer = try scene.writer(payload: source.ask)
    let first = Task { try await writer.write() }
    await source.waitForQuestion(1)
    let stop = Task { await writer.stop() }
    await source.answer(1, .success(1))
    #expect(try await first.value.payload == Facts(open: 1))
    await stop.value
    await #expect(throws: HistoryError.self) { try await writer.write() }
    writer.requestWrite()
    await scene.clock.advance(by: .seconds(100), on: scene.executor)
    #expect(await source.count == 1)
  }

  @Test("with a thread of its own it writes, and lets go of the thread")
  func ownThread() async throws {
    let scene = try SnapshotScene()
    for number in 1...3 {
      let writer = try SnapshotWriter(path: scene.path, schema: 3) { (Facts(open: number), nil) }
      #expect(try await writer.write().payload == Facts(open: number))
    }
    #expect(scene.reader().read().payload == Facts(open: 3))
  }
}
