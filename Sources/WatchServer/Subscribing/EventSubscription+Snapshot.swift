import EventLoop
import HistoryModel
import HistoryObservation
import HistoryStore
import SQLite

extension EventSubscription {
  /// How many bytes of lines a page has, about.
  private static let pageSize = 1 << 16

  /// Sends the rows as they are.
  ///
  /// - Returns: The position at which they are so; nil if it ended before all were sent.
  func sendSnapshot(
    _ resume: LineEncoder.Resume, _ state: StoreState
  ) async throws(HistoryError) -> HistoryToken? {
    let store = try TrackedStore(path: hub.path, access: .readOnly, busyTimeout: 0)
    let snapshot = try await patiently { () throws(HistoryError) in
      try RowSnapshot(store, filter: request.filter)
    }
    defer { snapshot.end() }
    let token = snapshot.token
    var lines = LineEncoder()
    lines.hello(resume, token: token, oldest: state.oldest, head: token)
    lines.snapshotBegin(token, tables: snapshot.tables)
    let spool = SnapshotSpool()
    while ending == nil,
      let shape = try await patiently({ () throws(HistoryError) in try snapshot.next() })
    {
      lines.row(0, of: shape, in: snapshot.values)
      guard lines.bytes.count >= Self.pageSize else { continue }
      try await put(&lines, spool)
      await breathe()
    }
    snapshot.end()
    // Rows that were cut off must not look as if they were all.
    guard ending == nil else { return nil }
    lines.snapshotEnd(token)
    try await put(&lines, spool)
    try await send(spool)
    return ending == nil ? token : nil
  }

  /// Sends a page, or keeps it for a reader who is slow.
  private func put(_ lines: inout LineEncoder, _ spool: SnapshotSpool) async throws(HistoryError) {
    let bytes = lines.bytes
    lines.bytes = []
    do {
      try await spool.put(bytes) { page, limit in await offer(page, for: limit) }
    } catch {
      throw error as? HistoryError ?? HistoryError(.temporary, "\(error)")
    }
  }

  private func offer(_ bytes: [UInt8], for limit: Duration) async -> SnapshotSpool.Offer {
    let page = EncodedLines(bytes)
    let start = ContinuousClock.now
    repeat {
      // What comes after the end is for nobody.
      guard ending == nil else { return .taken }
      switch sink.offer(page) {
      case .taken:
        shownRows()
        return .taken
      case .gone:
        end(nil)
        return .taken
      case .full: try? await LoopTimer.sleep(for: .milliseconds(5), on: executor)
      }
    } while start.duration(to: .now) < limit
    return .refused
  }

  /// Sends what was kept, at the reader's leisure.
  private func send(_ spool: SnapshotSpool) async throws(HistoryError) {
    var rest: [UInt8] = []
    while ending == nil {
      let bytes = try spool.next()
      if bytes.isEmpty { return }
      rest += bytes
      guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { continue }
      let page = EncodedLines(Array(rest[...end]))
      rest.removeSubrange(...end)
      guard await send(page) else { return }
      shownRows()
    }
  }

  /// Reads, and waits while another process has the store locked.
  private func patiently<T>(
    _ body: () throws(HistoryError) -> T
  ) async throws(HistoryError) -> T {
    while true {
      do throws(HistoryError) {
        return try body()
      } catch {
        guard error.passesByItself, ending == nil else { throw error }
      }
      try? await LoopTimer.sleep(for: .milliseconds(5), on: executor)
    }
  }
}
