import EventLoop
import HistoryModel
import HistoryTestSupport
import StoreBoundary

struct Facts: Codable, Equatable, Sendable { var open: Int }

/// Where a snapshot's facts come from, one answer for each question, when the test says so.
actor FactsSource {
  private var questions = 0
  private var asked: [CheckedContinuation<(payload: Facts, token: HistoryToken?), any Error>] = []
  private var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

  /// How often it was asked.
  var count: Int { questions }

  /// Answers when the test does.
  func ask() async throws -> (payload: Facts, token: HistoryToken?) {
    questions += 1
    for watcher in watchers where watcher.count <= questions { watcher.continuation.resume() }
    watchers.removeAll { $0.count <= questions }
    return try await withCheckedThrowingContinuation { asked.append($0) }
  }

  /// Waits until it was asked so often in all.
  func waitForQuestion(_ count: Int) async {
    guard questions < count else { return }
    await withCheckedContinuation { watchers.append((count, $0)) }
  }

  /// Waits for a question and answers it.
  func answer(_ number: Int, _ result: Result<Int, any Error>) async {
    await waitForQuestion(number)
    asked.removeFirst().resume(with: result.map { (payload: Facts(open: $0), token: nil) })
  }
}

/// A writer of a snapshot in a directory of its own, at a time that stands still.
final class SnapshotScene {
  let directory: TemporaryDirectory
  let executor: LoopExecutor
  let clock = ManualLoopClock()
  let path: String

  init(file: String = "facts.json") throws {
    directory = try TemporaryDirectory()
    executor = try LoopExecutor.onOwnThread(name: "test")
    path = directory.file(file)
  }

  deinit { executor.letGo() }

  func writer(
    payload: @escaping @Sendable () async throws -> (payload: Facts, token: HistoryToken?),
    reload: @escaping @Sendable (Snapshot<Facts>) async throws -> Void = { _ in }
  ) throws -> SnapshotWriter<Facts> {
    try SnapshotWriter(
      path: path, schema: 3, on: executor, clock: clock, payload: payload, reload: reload)
  }

  func reader(schema: Int = 3, sizeLimit: Int = 1 << 20) -> SnapshotReader<Facts> {
    SnapshotReader(path: path, schema: schema, empty: Facts(open: -1), sizeLimit: sizeLimit)
  }

  /// The file as it is.
  func text() throws -> String? {
    try DurableFile(path: path).read(limit: 1 << 20).map { String(decoding: $0, as: UTF8.self) }
  }
}
