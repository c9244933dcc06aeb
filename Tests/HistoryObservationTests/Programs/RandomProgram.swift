import EventLoop
import HistoryModel
import HistoryObservation
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A program of random steps on one store, with what it knows of what must be seen.
final class RandomProgram {
  private let file: TemporaryStore
  private let observed: ObservedStore
  private let timeline = Timeline()
  private let rows: ResultsObserver<StoredRow>
  private var generator: SeededGenerator
  private var connection: Connection
  private var lastNumber: Int64 = 0
  /// The newest number that is in the store.
  private var top: Int64 = 0
  private var backups: [(path: String, top: Int64)] = []
  private var files = 0
  private var columns = 0
  private var readers: [Task<Void, any Error>] = []
  private var adders: [Adder] = []
  private let noise: Noise

  init(_ journal: TemporaryStore.Journal, seed: UInt64) async throws {
    file = try TemporaryStore(
      sql: "CREATE TABLE t(n INTEGER PRIMARY KEY, v); CREATE TABLE u(id INTEGER PRIMARY KEY)",
      journal: journal)
    try file.track()
    noise = Noise(file.path)
    generator = SeededGenerator(seed: seed)
    connection = try file.connection()
    connection.setBusyTimeout(milliseconds: 20_000)
    observed = try ObservedStore(path: file.path)
    rows = try await ResultsObserver(
      store: observed, query: "SELECT n, v FROM t WHERE v IS NOT 'hidden'", key: ["n"])
  }

  func run(steps: Int) async throws {
    let noise = noise
    let making = Task { try await noise.make() }
    for _ in 0..<steps {
      noise.starts.yield()
      try await step()
    }
    noise.starts.finish()
    try await making.value
    // Whoever sees this has seen everything.
    try await write("INSERT INTO t(n, v) VALUES (?, 'end')", numbers: 1)
    for reader in readers { try await reader.value }
    try await observed.waitUntil(observed.state().head)
    for adder in adders { try await check(adder) }
    if rows.error != nil { try await rows.fetch() }
    try await rows.waitUntil(observed.state().head)
    let wanted = try await observed.read { view in
      try view.rows("SELECT n, v FROM t WHERE v IS NOT 'hidden' ORDER BY n")
    }
    #expect(rows.results == wanted)
  }

  private func step() async throws {
    switch Int.random(in: 0..<20, using: &generator) {
    case 0..<6:
      let count = Int.random(in: 1...3, using: &generator)
      try await write("INSERT INTO t(n, v) VALUES (?, 'new')", numbers: count)
    case 6: try await write("INSERT INTO t(n, v) VALUES (?, 'many')", numbers: 2500)
    case 7..<9:
      let number = Int64.random(in: 0...max(1, lastNumber), using: &generator)
      let value = ["hidden", "other"].randomElement(using: &generator) ?? "other"
      try connection.execute("UPDATE t SET v = '\(value)' WHERE n % 7 = \(number % 7)")
    case 9: try connection.execute("INSERT INTO u DEFAULT VALUES")
    case 10..<12: read()
    case 12..<14: try await listen()
    case 14: if !adders.isEmpty { try await check(adders.removeFirst()) }
    case 15: try await observed.deleteHistory(through: observed.state().head)
    case 16: try backUp()
    case 17: try await restore()
    case 18: if file.journal == .wal { try addColumn() } else { try await replace() }
    default:
      let head = try await observed.state().head
      let waiting = Task { [observed] in try await observed.waitUntil(head) }
      waiting.cancel()
    }
  }

  private func write(_ sql: String, numbers count: Int) async throws {
    let numbers = lastNumber + 1...lastNumber + Int64(count)
    for number in numbers {
      timeline.wrote(number, after: top)
      top = number
    }
    lastNumber = top
    switch Int.random(in: 0..<3, using: &generator) {
    case 0:
      try connection.transaction(.immediate) {
        for number in numbers { try connection.run(sql, .integer(number)) }
      }
    case 1:
      _ = try await StoreWriter(path: file.path, busyTimeout: 20_000).write(author: "other") {
        for number in numbers { try $0.run(sql, .integer(number)) }
      }
    default:
      try await observed.write(author: "app") {
        for number in numbers { try $0.run(sql, .integer(number)) }
      }
    }
  }

  private func read() {
    let reader = ProgramReader(observed: observed, timeline: timeline)
    readers.append(Task { try await reader.readToEnd() })
  }

  private func listen() async throws {
    let (start, _, token) = try await ProgramReader.position(observed)
    let adder = Adder(after: start)
    let interest = ChangeInterest(ChangeFilter(tables: ["t"], operations: [.insert]))
    do {
      try await observed.hub.listen(adder, for: interest, after: .after(token))
      adders.append(adder)
    } catch {
      #expect(error.code == .historyTokenExpired)
    }
  }

  private func check(_ adder: Adder) async throws {
    try await observed.waitUntil(observed.state().head)
    let state = adder.state.withLock { $0 }
    #expect(state.holes == 0)
    if let error = state.error {
      #expect(error.code == .historyTokenExpired)
    } else {
      #expect(timeline.distance(from: adder.start, to: top) == state.changes)
    }
  }

  private func backUp() throws {
    files += 1
    let path = file.directory.file("backup \(files)")
    try connection.execute("VACUUM INTO '\(path)'")
    backups.append((path, top))
  }

  private func restore() async throws {
    guard let backup = backups.randomElement(using: &generator) else { return }
    let source = try Connection(path: backup.path, access: .readOnly)
    let start = ContinuousClock.now
    while let error = failureToRestore(from: source) {
      // A lock that is never let go would keep the thread from everybody else, for ever.
      guard [.busy, .locked].contains(error.code.primary), start.duration(to: .now) < .seconds(60)
      else { throw error }
      await Task.yield()
    }
    top = backup.top
  }

  private func failureToRestore(from source: Connection) -> SQLiteError? {
    do throws(SQLiteError) {
      try Backup.copy(from: source, into: connection)
      return nil
    } catch {
      return error
    }
  }

  private func addColumn() throws {
    columns += 1
    let store = try TrackedStore(path: file.path, access: .readWrite, busyTimeout: 20_000)
    try connection.execute("ALTER TABLE t ADD COLUMN IF_\(columns)_\(lastNumber)")
    _ = try Tracker(store).track(Tracker.Request())
  }

  /// Moves a copy over the store, which may have lost what was written since it was made.
  private func replace() async throws {
    let copied = top
    files += 1
    let path = file.directory.file("copy \(files)")
    try connection.execute("VACUUM INTO '\(path)'")
    if Bool.random(using: &generator) {
      try await write("INSERT INTO t(n, v) VALUES (?, 'lost')", numbers: 1)
    }
    let copy = try Connection(path: path, access: .readWrite)
    lastNumber += 1
    timeline.wrote(lastNumber, after: copied)
    try copy.execute("INSERT INTO t(n, v) VALUES (\(lastNumber), 'copied')")
    top = lastNumber
    let file = file
    noise.turn.withLock { _ in #expect(rename(path, file.path) == 0) }
    connection = try file.connection()
    connection.setBusyTimeout(milliseconds: 20_000)
  }
}
