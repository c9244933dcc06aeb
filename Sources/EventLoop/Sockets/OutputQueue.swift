/// What a connection has still to send, up to a limit; knows no descriptor.
///
/// A message is taken whole or not at all. One that is bigger than the limit is taken while nothing
/// else waits, since it could never go out otherwise.
package struct OutputQueue {
  /// How many bytes may wait.
  package let limit: Int
  /// How many bytes wait.
  package private(set) var count = 0
  /// Shared with whoever else sends the same: a batch for many is kept once.
  private var chunks: [ArraySlice<UInt8>] = []
  /// The first of them that has not gone out.
  private var first = 0
  /// Whether the last byte that went out was not the last of a line.
  private var isInsideLine = false

  /// Up to this size small messages are put together, so that each does not cost a system call.
  private static let joinedSize = 16384

  /// Makes an empty queue.
  ///
  /// - Parameter limit: How many bytes may wait.
  package init(limit: Int) { self.limit = limit }

  /// Takes in a message.
  ///
  /// - Parameter message: What is to go out.
  /// - Returns: Whether there was room for it.
  package mutating func offered(_ message: ArraySlice<UInt8>) -> Bool {
    guard count == 0 || message.count <= limit - count else { return false }
    guard !message.isEmpty else { return true }
    count += message.count
    if let last = chunks.indices.last, last > first,
      chunks[last].count + message.count <= Self.joinedSize
    {
      chunks[last] += message
    } else {
      chunks.append(message)
    }
    return true
  }

  /// What goes out next; nil if nothing waits.
  package var next: ArraySlice<UInt8>? { count > 0 ? chunks[first] : nil }

  /// Drops what went out of ``next``.
  ///
  /// - Parameter taken: How many bytes of it.
  package mutating func sent(_ taken: Int) {
    precondition(taken <= chunks[first].count, "More went out than was there.")
    count -= taken
    if taken > 0 {
      isInsideLine = chunks[first][chunks[first].startIndex + taken - 1] != UInt8(ascii: "\n")
    }
    chunks[first].removeFirst(taken)
    guard chunks[first].isEmpty else { return }
    chunks[first] = []
    first += 1
    if count == 0 {
      removeAll()
    } else if first > 64, first > chunks.count / 2 {
      chunks.removeFirst(first)
      first = 0
    }
  }

  /// Drops what waits, but for the rest of a line of which a part has gone out.
  ///
  /// - Complexity: O(*n*) for the *n* bytes of that rest.
  package mutating func keepLine() {
    var rest: [UInt8] = []
    if isInsideLine {
      for chunk in chunks[first...] {
        guard let end = chunk.firstIndex(of: UInt8(ascii: "\n")) else {
          rest += chunk
          continue
        }
        rest += chunk[...end]
        break
      }
    }
    removeAll()
    _ = offered(rest[...])
  }

  /// Drops everything, and the memory with it.
  package mutating func removeAll() {
    chunks = []
    (count, first) = (0, 0)
  }
}
