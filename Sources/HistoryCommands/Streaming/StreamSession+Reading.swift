import HistoryModel
import HistoryObservation
import HistoryStore

extension StreamSession {
  /// How many bytes of lines a page has, about: what a pipe holds.
  private static let pageSize = 1 << 16
  /// After how many items to see whether somebody has begun to write: before a writer wants the
  /// file for himself he has a journal to write, which takes about as long as they do.
  private static let itemsUnseen = 16

  /// Reads a page and encodes it.
  ///
  /// - Parameters:
  ///   - reader: What reads.
  ///   - isGivingWay: Whether to end the page early when somebody begins to write who could fail
  ///     because of it.
  /// - Returns: Where the reader stands.
  /// - Throws: ``HistoryModel/HistoryError`` when the store cannot be read.
  func readPage(
    _ reader: HistoryReader, isGivingWay: Bool
  ) throws(HistoryError) -> ReadingState {
    var items = 0
    return try reader.read { [self] item in
      items += 1
      switch item {
      case .change(let change, let index, let transaction):
        encode(change, reader.values, index, transaction)
      case .commit(let transaction, let changes, let token):
        hasShown = true
        shownTransactions += 1
        switch request.group {
        case .row: lines.commit(transaction, changes: changes, token: token)
        case .transaction:
          lines.transaction(transaction, changes: group, token: token)
          group.removeAll(keepingCapacity: true)
        }
        if let limit = request.limit, shownTransactions >= limit {
          end(.limit, .success)
          return .pause
        }
      case .notice(let notice, let token):
        hasShown = true
        lines.notice(notice, token: token)
      }
      if isGivingWay, items % Self.itemsUnseen == 0, store.hasWriter { return .pause }
      return lines.bytes.count >= Self.pageSize ? .pause : .goOn
    }
  }

  private func encode(
    _ change: RecordedChange, _ values: CellBuffer, _ index: Int, _ transaction: TransactionRecord
  ) {
    switch request.group {
    case .row:
      lines.change(change, in: values, index: index, of: transaction)
    case .transaction:
      if !group.isEmpty { group.append(UInt8(ascii: ",")) }
      group += LineEncoder.object(change, in: values, index: index, of: transaction)
    }
  }

  /// Sends the rows as they are, and goes on from there.
  ///
  /// - Returns: The position at which they are so; nil if it ended before all were sent.
  func sendSnapshot(
    _ resume: LineEncoder.Resume, _ state: StoreState, _ program: isolated Program
  ) async throws -> HistoryToken? {
    let snapshot = try await patiently(program) { [self] () throws(HistoryError) in
      try RowSnapshot(store, filter: request.filter)
    }
    defer { snapshot.end() }
    lines.hello(resume, token: snapshot.token, oldest: state.oldest, head: snapshot.token)
    lines.snapshotBegin(snapshot.token, tables: snapshot.tables)
    try await flush(program)
    let output = SnapshotOutput(gate: gate)
    rowsOutput = output
    do {
      try await send(snapshot, to: output, program)
    } catch {
      // Rows that others before them are missing from are of no use.
      lines.bytes.removeAll(keepingCapacity: true)
      throw error
    }
    rowsOutput = nil
    // Rows that were cut off must not look as if they were all, and no position is after them.
    guard ending == nil else { return nil }
    lines.snapshotEnd(snapshot.token)
    try await flush(program)
    return snapshot.token
  }

  private func send(
    _ snapshot: RowSnapshot, to output: SnapshotOutput, _ program: isolated Program
  ) async throws {
    while ending == nil,
      let shape = try await patiently(
        program, { () throws(HistoryError) in try snapshot.next() })
    {
      lines.row(0, of: shape, in: snapshot.values)
      hasShown = true
      if lines.bytes.count >= Self.pageSize {
        try await output.write(lines.bytes, program)
        lines.bytes.removeAll(keepingCapacity: true)
        try await breathe(program)
      }
    }
    try await output.write(lines.bytes, program)
    lines.bytes.removeAll(keepingCapacity: true)
    snapshot.end()
    try await output.finish(program)
  }
}
