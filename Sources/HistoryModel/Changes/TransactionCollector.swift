/// Gathers the changes of transactions as a reader comes to them.
///
/// All transactions of one collector share their memory: values are copied once, into one buffer.
package struct TransactionCollector {
  private var buffer = CellBuffer()
  private var open: [(change: RecordedChange, index: Int)] = []
  private var closed: [(record: TransactionRecord, changes: Int, token: HistoryToken)] = []
  private var all: [(change: RecordedChange, index: Int)] = []

  package init() {}

  /// How many bytes are held, about.
  package var size: Int {
    buffer.bytes.count + 16 * buffer.cells.count
      + MemoryLayout<(RecordedChange, Int)>.stride * (all.count + open.count)
  }

  /// How many transactions are whole.
  package var count: Int { closed.count }

  /// Whether none is being read.
  package var isWhole: Bool { open.isEmpty }

  /// Takes in a change of the transaction being read.
  package mutating func append(_ change: RecordedChange, in values: CellBuffer, index: Int) {
    let first = buffer.cells.count
    let offset = UInt64(buffer.bytes.count)
    for var cell in values.cells {
      if cell.storage == .text || cell.storage == .blob { cell.payload += offset }
      buffer.cells.append(cell)
    }
    buffer.bytes.append(contentsOf: values.bytes)
    let moved = RecordedChange(
      shape: change.shape, operation: change.operation, after: change.after.map { $0 + first },
      before: change.before.map { $0 + first })
    open.append((moved, index))
  }

  /// The transaction being read has come to its end.
  package mutating func commit(_ record: TransactionRecord, token: HistoryToken) {
    closed.append((record, open.count, token))
    all.append(contentsOf: open)
    open.removeAll(keepingCapacity: true)
  }

  /// Forgets the changes of the transaction being read.
  package mutating func dropUnfinished() { open.removeAll(keepingCapacity: true) }

  /// The whole transactions, in order.
  package consuming func transactions() -> [HistoryTransaction] {
    let cells = StoredRow.Cells(buffer)
    var start = 0
    return closed.map { record, count, token in
      defer { start += count }
      return HistoryTransaction(
        record,
        changes: HistoryTransaction.Changes(cells, Array(all[start..<start + count])),
        token: token)
    }
  }
}
