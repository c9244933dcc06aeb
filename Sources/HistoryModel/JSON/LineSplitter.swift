/// Cuts bytes that arrive in pieces of any size into lines.
///
/// It keeps at most one line that has not ended and the last piece, whoever sends them. A line that
/// is too long is reported as soon as that is known, and dropped up to its end; the next one is
/// whole again.
///
/// ```swift
/// splitter.append(try await connection.read())
/// while let line = splitter.next() { … }
/// ```
public struct LineSplitter: Sendable {
  /// What came.
  public enum Line: Equatable, Sendable {
    /// A line without its end; it may be empty.
    case whole(ArraySlice<UInt8>)
    /// A line that is longer than is accepted, once for each.
    case tooLong
  }

  private let limit: Int
  private var buffer: [UInt8] = []
  /// Where the line that is looked for begins.
  private var start = 0
  /// Up to where there is no end of a line.
  private var searched = 0
  /// Whether the rest of a line that was too long has still to come.
  private var isDropping = false

  /// Makes a splitter that has seen nothing.
  ///
  /// - Parameter limit: How many bytes a line may have, its end not counted.
  public init(limit: Int) { self.limit = limit }

  /// Takes in the next bytes.
  ///
  /// Take out all lines with ``next()`` before the next piece comes.
  ///
  /// - Parameter piece: The bytes, as many as there are.
  /// - Complexity: O(*n*) for *n* bytes that are kept and new.
  public mutating func append(_ piece: [UInt8]) {
    if buffer.isEmpty {
      // Nothing is left of the last piece: this one can be used as it is.
      buffer = piece
    } else {
      buffer.removeSubrange(..<start)
      buffer += piece
    }
    searched -= start
    start = 0
  }

  /// Takes out the next line.
  ///
  /// - Returns: The line, or nil if its end has not come yet.
  /// - Complexity: O(*n*) for *n* bytes that were not looked at before.
  public mutating func next() -> Line? {
    while let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
      let line = buffer[start..<end]
      start = end + 1
      searched = start
      if isDropping {
        isDropping = false
      } else {
        return line.count <= limit ? .whole(line) : .tooLong
      }
    }
    searched = buffer.count
    let wasDropping = isDropping
    if isDropping || searched - start > limit {
      isDropping = true
      start = searched
    }
    if start == searched {
      // Whoever is idle holds no memory.
      buffer = []
      (start, searched) = (0, 0)
    }
    return isDropping && !wasDropping ? .tooLong : nil
  }

  /// Takes out what is left once no more bytes come.
  ///
  /// - Returns: A last line that does not end, or nil if there is none.
  public mutating func finish() -> Line? {
    if let line = next() { return line }
    guard start < buffer.count else { return nil }
    defer { start = buffer.count }
    return .whole(buffer[start...])
  }
}
