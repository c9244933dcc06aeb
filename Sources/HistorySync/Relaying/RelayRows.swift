import EventLoop
import HistoryModel
import HistoryStore

/// The rows of a store as lines, read into a file first, so that no read transaction waits for a
/// carrier.
final class RelayRows {
  /// The position at which the rows are so.
  let token: HistoryToken
  private let rows: RowSnapshot
  private let spool: SpoolFile
  private var lines = LineEncoder()
  private var isRead = false
  /// What was taken out of the file and is of a line that is not whole.
  private var carry: [UInt8] = []
  private var given = 0

  /// How many bytes are read in one step, about.
  private static let step = 1 << 18

  /// Begins to read.
  init(_ store: TrackedStore, oldest: HistoryToken) throws(HistoryError) {
    rows = try RowSnapshot(store, filter: ChangeFilter())
    token = rows.token
    do throws(DurableFile.Failure) {
      spool = try SpoolFile()
    } catch {
      throw .relaySpool("\(error)")
    }
    lines.hello(.snapshot, token: token, oldest: oldest, head: token)
    lines.snapshotBegin(token, tables: rows.tables)
  }

  /// Reads on.
  ///
  /// - Returns: Whether all rows were read.
  func read() throws(HistoryError) -> Bool {
    if isRead { return true }
    while lines.bytes.count < Self.step {
      guard let shape = try rows.next() else {
        lines.snapshotEnd(token)
        isRead = true
        break
      }
      lines.row(0, of: shape, in: rows.values)
    }
    do throws(DurableFile.Failure) {
      try spool.append(lines.bytes)
    } catch {
      throw .relaySpool("\(error)")
    }
    lines.bytes.removeAll(keepingCapacity: true)
    return isRead
  }

  /// Takes out the lines of the next message.
  ///
  /// - Parameter limit: How many bytes it may have.
  /// - Returns: The lines, and whether they are the last.
  /// - Throws: `HistoryError` with code `temporary` when the file cannot be read.
  func next(_ limit: Int) throws(HistoryError) -> (body: [UInt8], isLast: Bool) {
    do throws(DurableFile.Failure) {
      carry += try spool.next(limit - carry.count)
    } catch {
      throw .relaySpool("\(error)")
    }
    var body = carry
    let isLast = given + body.count == spool.count
    if !isLast, let end = body.lastIndex(of: UInt8(ascii: "\n")) {
      carry = Array(body[(end + 1)...])
      body.removeSubrange((end + 1)...)
    } else {
      carry = []
    }
    given += body.count
    return (body, isLast)
  }
}
