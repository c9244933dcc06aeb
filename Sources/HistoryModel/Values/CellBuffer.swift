/// Values of many rows, kept without an allocation for each.
///
/// Numbers stand in the cell itself; text and blobs stand in one shared run of bytes to which the
/// cell points. A reader decodes each row into such a buffer once, and everyone who wants the row
/// reads it from there: the line encoder as bytes, an embedding program as ``StoredValue``.
public struct CellBuffer: Sendable {
  /// The storage class of a cell.
  @frozen
  public enum Storage: UInt8, Sendable {
    /// SQL NULL.
    case null
    /// INTEGER; the payload is its bits.
    case integer
    /// REAL; the payload is its bits.
    case real
    /// TEXT; the payload is the offset of its bytes.
    case text
    /// BLOB; the payload is the offset of its bytes.
    case blob
  }

  /// One value: 16 bytes.
  @frozen
  public struct Cell: Sendable {
    /// The bits of a number, or the offset of text or a blob.
    public var payload: UInt64
    /// How many bytes text or a blob has; 0 for everything else.
    public var length: UInt32
    /// The storage class.
    public var storage: Storage
    /// Whether it is known to be text of nothing but ASCII that JSON takes as it is.
    public var isPlain: Bool

    /// Makes a cell of its parts.
    @inlinable
    public init(
      _ storage: Storage, payload: UInt64 = 0, length: UInt32 = 0, isPlain: Bool = false
    ) {
      self.payload = payload
      self.length = length
      self.storage = storage
      self.isPlain = isPlain
    }
  }

  /// The cells, in the order they were appended.
  public var cells: [Cell] = []
  /// The bytes of all text and blobs.
  public var bytes: [UInt8] = []

  /// Makes an empty buffer.
  public init() {}

  /// Empties the buffer and keeps its memory.
  @inlinable
  public mutating func removeAll() {
    cells.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
  }

  /// Appends a value.
  ///
  /// - Parameter value: What to append.
  public mutating func append(_ value: StoredValue) {
    switch value {
    case .null: cells.append(Cell(.null))
    case .integer(let x): cells.append(Cell(.integer, payload: UInt64(bitPattern: x)))
    case .real(let x): cells.append(Cell(.real, payload: x.bitPattern))
    case .text(let x): append(.text, x.utf8)
    case .malformedText(let x): append(.text, x)
    case .blob(let x): append(.blob, x)
    }
  }

  private mutating func append(_ storage: Storage, _ content: some Collection<UInt8>) {
    cells.append(Cell(storage, payload: UInt64(bytes.count), length: UInt32(content.count)))
    bytes.append(contentsOf: content)
  }

  /// The bytes of a text or blob cell.
  ///
  /// - Parameter cell: A cell of this buffer.
  /// - Returns: Its bytes; none for a number or NULL.
  @inlinable
  public func content(of cell: Cell) -> ArraySlice<UInt8> {
    let start = Int(cell.payload)
    switch cell.storage {
    case .text, .blob: return bytes[start..<start + Int(cell.length)]
    case .null, .integer, .real: return []
    }
  }

  /// The value at an index, as a value of its own.
  ///
  /// - Parameter index: A place in ``cells``.
  /// - Returns: The value.
  /// - Complexity: O(*n*) for *n* bytes of text or blob.
  public func value(at index: Int) -> StoredValue {
    let cell = cells[index]
    switch cell.storage {
    case .null: return .null
    case .integer: return .integer(Int64(bitPattern: cell.payload))
    case .real: return .real(Double(bitPattern: cell.payload))
    case .blob: return .blob(Array(content(of: cell)))
    case .text:
      let bytes = content(of: cell)
      if let text = String(validating: bytes, as: UTF8.self) { return .text(text) }
      return .malformedText(Array(bytes))
    }
  }

  /// Whether two cells hold the same value to the last bit.
  ///
  /// - Parameters:
  ///   - a: The index of one cell.
  ///   - b: The index of the other.
  /// - Returns: Whether storage class and every bit are the same.
  /// - Complexity: O(*n*) for *n* bytes of text or blob.
  @inlinable
  public func isIdentical(_ a: Int, _ b: Int) -> Bool {
    let x = cells[a]
    let y = cells[b]
    guard x.storage == y.storage, x.length == y.length else { return false }
    switch x.storage {
    case .null: return true
    case .integer, .real: return x.payload == y.payload
    case .text, .blob: return content(of: x).elementsEqual(content(of: y))
    }
  }
}
