import HistoryModel
import HistoryStore

/// Encodes what a reader reads into lines, for whoever wants a part of it.
///
/// It chooses by itself, so that one reader does for many who want different parts.
struct LineCollector {
  private let request: LineRequest
  private var encoder = LineEncoder()
  private var ends: [Int] = []
  private var boundaries: [EncodedLines.Boundary] = []
  /// The encoded changes of the transaction that is being grouped.
  private var group: [UInt8] = []
  /// How many changes of the transaction that is being read were shown.
  private var shown = 0
  private var hasPassedOver = false
  /// The table that was looked at last.
  private var last: (shape: TableShape, isWanted: Bool)?
  private var drift: [CaptureNotice] = []
  /// Whether the transaction that is being read has other changes too.
  private var hasUnshown = false

  init(_ request: LineRequest) { self.request = request }

  /// How many bytes have been encoded and not been taken.
  var size: Int { encoder.bytes.count + group.count }

  /// Takes in an item.
  mutating func take(_ item: HistoryItem, values: CellBuffer) {
    switch item {
    case .change(let change, let index, let transaction):
      guard matches(change, transaction) else {
        hasUnshown = true
        return
      }
      shown += 1
      switch request.group {
      case .row:
        encoder.change(change, in: values, index: index, of: transaction)
        endLine()
      case .transaction:
        if !group.isEmpty { group.append(UInt8(ascii: ",")) }
        group += LineEncoder.object(change, in: values, index: index, of: transaction)
      }
    case .commit(let transaction, _, let token): commit(transaction, token)
    case .notice(let notice, let token):
      guard request.filter.matches(table: notice.table) else { return }
      encoder.notice(notice, token: token)
      endLine()
      boundaries.append(.init(lines: ends.count, token: token, isCommit: false))
    }
  }

  /// Takes in what is amiss with capture and has no position yet.
  mutating func take(_ notice: CaptureNotice) {
    guard request.filter.matches(table: notice.table) else { return }
    encoder.notice(notice, token: nil)
    endLine()
    drift.append(notice)
  }

  private mutating func matches(
    _ change: RecordedChange, _ transaction: TransactionRecord
  ) -> Bool {
    let filter = request.filter
    return filter.matches(operation: change.operation)
      && filter.matches(transaction)
      && isWanted(change.shape)
  }

  /// Whether the table is wanted.
  ///
  /// Changes of one table follow each other, and comparing names costs more than all the rest.
  private mutating func isWanted(_ shape: TableShape) -> Bool {
    if let last, last.shape === shape { return last.isWanted }
    let isWanted = request.filter.matches(table: shape.table)
    last = (shape, isWanted)
    return isWanted
  }

  private mutating func commit(_ transaction: TransactionRecord, _ token: HistoryToken) {
    defer {
      shown = 0
      hasUnshown = false
    }
    guard shown > 0 else {
      hasPassedOver = hasPassedOver || hasUnshown
      return
    }
    switch request.group {
    case .row: encoder.commit(transaction, changes: shown, token: token)
    case .transaction:
      encoder.transaction(transaction, changes: group, token: token)
      group.removeAll(keepingCapacity: true)
    }
    endLine()
    boundaries.append(.init(lines: ends.count, token: token, isCommit: true))
    hasPassedOver = false
  }

  private mutating func endLine() { ends.append(encoder.bytes.count) }

  /// Forgets what was taken in of a transaction whose end did not come.
  mutating func dropUnfinished() {
    let lines = boundaries.last?.lines ?? 0
    let end = lines == 0 ? 0 : ends[lines - 1]
    encoder.bytes.removeSubrange(end...)
    ends.removeSubrange(lines...)
    group = []
    shown = 0
    hasUnshown = false
  }

  /// Hands out what was taken in so far.
  ///
  /// - Parameters:
  ///   - since: The position that it follows.
  ///   - until: The position between two transactions that it leads to.
  ///   - hasPassedOver: Whether the reader itself passed transactions over.
  /// - Returns: The page; the changes of a transaction whose commit has not come may be among
  ///   them.
  mutating func page(
    since: HistoryToken, until: HistoryToken, hasPassedOver: Bool = false
  ) -> LinePage {
    defer {
      encoder.bytes = []
      ends = []
      boundaries = []
      drift = []
      self.hasPassedOver = false
    }
    return LinePage(
      since: since, until: until,
      lines: EncodedLines(bytes: encoder.bytes, ends: ends, boundaries: boundaries),
      hasPassedOver: self.hasPassedOver || hasPassedOver, drift: drift)
  }
}
