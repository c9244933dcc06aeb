import EventLoop
import HistoryModel
import HistoryObservation
import HistoryStore
import SQLite

extension EventSubscription {
  /// How many bytes of lines a page has, about.
  private static let pageSize = 1 << 16
  /// How long a reader may take for a page before the rest goes into a file, so that the read
  /// transaction ends.
  private static let patience = Duration.milliseconds(100)

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
    var spool: SpoolFile?
    while ending == nil,
      let shape = try await patiently({ () throws(HistoryError) in try snapshot.next() })
    {
      lines.row(0, of: shape, in: snapshot.values)
      guard lines.bytes.count >= Self.pageSize else { continue }
      try await put(&lines, &spool)
      await breathe()
    }
    snapshot.end()
    // Rows that were cut off must not look as if they were all.
    guard ending == nil else { return nil }
    lines.snapshotEnd(token)
    try await put(&lines, &spool)
    if let spool { try await send(spool) }
    return ending == nil ? token : nil
  }

  /// Sends a page, or keeps it for a reader who is slow.
  private func put(
    _ lines: inout LineEncoder, _ spool: inout SpoolFile?
  ) async throws(HistoryError) {
    let bytes = lines.bytes
    lines.bytes = []
    if spool == nil {
      let page = EncodedLines(bytes)
      let start = ContinuousClock.now
      while start.duration(to: .now) < Self.patience {
        guard ending == nil else { return }
        switch sink.offer(page) {
        case .taken: return shownRows()
        case .gone: return end(nil)
        case .full: try? await LoopTimer.sleep(for: .milliseconds(5), on: executor)
        }
      }
      spool = try Self.spooling { () throws(DurableFile.Failure) in try SpoolFile() }
    }
    if let spool {
      try Self.spooling { () throws(DurableFile.Failure) in try spool.append(bytes) }
    }
  }

  /// Sends what was kept, at the reader's leisure.
  private func send(_ spool: SpoolFile) async throws(HistoryError) {
    var rest: [UInt8] = []
    while ending == nil {
      let bytes = try Self.spooling { () throws(DurableFile.Failure) in
        try spool.next(Self.pageSize)
      }
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

  private static func spooling<T>(
    _ body: () throws(DurableFile.Failure) -> T
  ) throws(HistoryError) -> T {
    do throws(DurableFile.Failure) {
      return try body()
    } catch {
      throw HistoryError(
        .temporary, "the rows of a slow reader cannot be kept for it: \(error)",
        hint: "make room where TMPDIR is, or read faster")
    }
  }
}
