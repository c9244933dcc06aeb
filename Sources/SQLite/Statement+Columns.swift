private import CSQLite
public import HistoryModel

/// Reading the current row, which the last ``Statement/step()`` announced.
///
/// Columns count from 0. The corresponding SQLite functions are `sqlite3_column_type` and its kin,
/// see <https://www.sqlite.org/c3ref/column_blob.html>. Those that ask for a storage class must come
/// before those that convert.
extension Statement {
  /// The storage class of a column.
  ///
  /// - Parameter column: The column, from 0.
  /// - Returns: The storage class; `.null` if there is no such column.
  public func storage(at column: Int) -> CellBuffer.Storage {
    switch sqlite3_column_type(handle, Int32(truncatingIfNeeded: column)) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .blob
    default: .null
    }
  }

  /// A column as an integer, converted as CAST does.
  ///
  /// - Parameter column: The column, from 0.
  /// - Returns: The number; 0 for NULL.
  public func int64(at column: Int) -> Int64 {
    sqlite3_column_int64(handle, Int32(truncatingIfNeeded: column))
  }

  /// A column as a number, converted as CAST does.
  ///
  /// - Parameter column: The column, from 0.
  /// - Returns: The number; 0 for NULL.
  public func double(at column: Int) -> Double {
    sqlite3_column_double(handle, Int32(truncatingIfNeeded: column))
  }

  /// Whether a column is NULL.
  ///
  /// - Parameter column: The column, from 0.
  /// - Returns: Whether it is.
  public func isNull(at column: Int) -> Bool { storage(at: column) == .null }

  /// A column as text, whole, also beyond a NUL in it.
  ///
  /// - Parameter column: The column, from 0.
  /// - Returns: The text; nil if the column is not text or not valid UTF-8.
  public func text(at column: Int) -> String? {
    guard storage(at: column) == .text else { return nil }
    return String(validating: content(at: column, as: .text), as: UTF8.self)
  }

  /// How many bytes a text or blob has.
  ///
  /// - Parameter column: The column, from 0.
  /// - Returns: The count, without a terminator.
  public func byteCount(at column: Int) -> Int {
    Int(sqlite3_column_bytes(handle, Int32(truncatingIfNeeded: column)))
  }

  /// A column as a value of its own, without loss.
  ///
  /// - Parameter column: The column, from 0.
  /// - Returns: The value.
  public func value(at column: Int) -> StoredValue {
    switch storage(at: column) {
    case .null: return .null
    case .integer: return .integer(int64(at: column))
    case .real: return .real(double(at: column))
    case .blob: return .blob(Array(content(at: column, as: .blob)))
    case .text:
      let bytes = content(at: column, as: .text)
      if let text = String(validating: bytes, as: UTF8.self) { return .text(text) }
      return .malformedText(Array(bytes))
    }
  }

  /// The current row, as values of its own.
  public var row: [StoredValue] { (0..<columnCount).map { value(at: $0) } }
}

extension Statement {
  /// Appends columns of the current row to a buffer.
  ///
  /// Nothing is allocated for a value, unless the buffer has to grow.
  ///
  /// - Parameters:
  ///   - columns: Which columns, from 0.
  ///   - buffer: Where to.
  public func appendCells(_ columns: Range<Int>, to buffer: inout CellBuffer) {
    let isUTF8: Int32 = connection.storesUTF8 ? 1 : 0
    for column in columns {
      let value = historywatch_column(handle, Int32(truncatingIfNeeded: column), isUTF8)
      switch value.type {
      case SQLITE_NULL: buffer.cells.append(.init(.null))
      case SQLITE_INTEGER: buffer.cells.append(.init(.integer, payload: value.bits))
      case SQLITE_FLOAT: buffer.cells.append(.init(.real, payload: value.bits))
      default:
        precondition(value.bytes != nil || value.count == 0, "SQLite ran out of memory.")
        buffer.cells.append(
          .init(
            value.type == SQLITE_TEXT ? .text : .blob, payload: UInt64(buffer.bytes.count),
            length: UInt32(bitPattern: value.count), isPlain: value.isPlain != 0))
        buffer.bytes.append(
          contentsOf: UnsafeBufferPointer(start: value.bytes, count: Int(value.count)))
      }
    }
  }

  /// The bytes of a text or blob, which stay where they are until the next step.
  private func content(
    at column: Int, as storage: CellBuffer.Storage
  ) -> UnsafeBufferPointer<UInt8> {
    let index = Int32(truncatingIfNeeded: column)
    // The pointer first: it may convert the text to UTF-8, and the count is that of the result.
    let start =
      storage == .text
      ? sqlite3_column_text(handle, index)
      : sqlite3_column_blob(handle, index)?.assumingMemoryBound(to: UInt8.self)
    let count = byteCount(at: column)
    precondition(start != nil || (count == 0 && storage == .blob), "SQLite ran out of memory.")
    return UnsafeBufferPointer(start: start, count: count)
  }
}
