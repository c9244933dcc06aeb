import EventLoop
import HistoryModel
import HistoryObservation
import HistoryStore

/// The newest lines of a history, newest first, read a page at a time.
///
/// A page is read forwards from a position near its end, and turned round; so what happened last
/// comes at once, however long the history is. Of a page it holds no more than the answer may have.
struct LogPages {
  /// The media type of the answer: a line for each transaction or notice, as in a stream.
  static let contentType = "application/x-ndjson"
  /// How many rows of history a page has, at least.
  private static let reach: Int64 = 10_000
  /// How many bytes an answer has, about.
  private static let size = 4 << 20

  private let query: LogQuery
  private let hub: StoreHub
  private let executor: LoopExecutor
  private var end: HistoryToken
  private let oldest: HistoryToken
  private var found: [[UInt8]] = []

  /// Finds where to begin.
  ///
  /// - Parameters:
  ///   - query: What is wanted.
  ///   - hub: Reads the store.
  /// - Throws: ``/HistoryModel/HistoryError`` when the position cannot be used, or the store be read.
  init(_ query: LogQuery, of hub: StoreHub) async throws(HistoryError) {
    self.query = query
    self.hub = hub
    executor = hub.executor
    let (position, state) = try await hub.resolve(query.before.map { .after($0) } ?? .now)
    oldest = state.oldest
    switch position {
    case .usable(let token): end = token
    case .expired(_, let reason):
      throw .historyTokenExpired(oldest: state.oldest, reason: reason)
    }
  }

  /// What was found, newest first.
  var lines: [UInt8] { Array(found.joined()) }

  /// Reads a page.
  ///
  /// - Returns: Whether there is more to read, and room for it.
  /// - Throws: ``/HistoryModel/HistoryError`` when the store cannot be read.
  mutating func readOn() async throws(HistoryError) -> Bool {
    var rest = LastLines(
      count: query.limit - found.count, size: Self.size - found.reduce(0) { $0 + $1.count })
    guard rest.count > 0, rest.size > 0, end.sequence > oldest.sequence else { return false }
    let start = try await hub.boundary(rows: Self.reach, before: end)
    // The history may have been trimmed meanwhile.
    guard start.sequence < end.sequence else { return false }
    let request = LineRequest(filter: query.filter, group: .transaction)
    let cursor = try await hub.openLines(request, after: start, until: end)
    do throws(HistoryError) {
      var state = ReadingState.more
      while state == .more {
        let page: LinePage
        (page, state) = try await hub.readLines(cursor)
        rest.add(page.lines, except: query.before)
        // Whoever asks for what is rare waits long; the others do not.
        try? await LoopTimer.sleep(for: .zero, on: executor)
      }
    } catch {
      await hub.closeLines(cursor)
      throw error
    }
    await hub.closeLines(cursor)
    found += rest.lines.reversed()
    end = start
    return true
  }
}
