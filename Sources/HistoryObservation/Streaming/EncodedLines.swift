import EventLoop
package import HistoryModel

/// Whole lines, encoded once for all who get the same ones.
package final class EncodedLines: Sendable {
  /// A line after which one can go on at a position.
  package struct Boundary: Sendable, Equatable {
    /// How many lines there are up to it, with its own.
    package let lines: Int
    /// The position after it.
    package let token: HistoryToken
    /// Whether a transaction ends there.
    package let isCommit: Bool
  }

  /// The lines.
  package let bytes: [UInt8]
  /// Where each line ends, behind its line feed.
  package let ends: [Int]
  /// Where one can go on.
  package let boundaries: [Boundary]
  private let lastSpliced = Guarded<(member: [UInt8], bytes: [UInt8])?>(nil)

  init(bytes: [UInt8], ends: [Int], boundaries: [Boundary]) {
    self.bytes = bytes
    self.ends = ends
    self.boundaries = boundaries
  }

  /// Takes lines as they were encoded.
  ///
  /// - Parameters:
  ///   - bytes: Whole lines.
  ///   - token: The position at which one can go on after them; nil where they do not say.
  /// - Complexity: O(*n*) for *n* bytes.
  package init(_ bytes: [UInt8], resumableAt token: HistoryToken? = nil) {
    self.bytes = bytes
    let ends = bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
    self.ends = ends
    boundaries = token.map { [Boundary(lines: ends.count, token: $0, isCommit: false)] } ?? []
  }

  /// Whether there are none.
  package var isEmpty: Bool { ends.isEmpty }

  /// How many transactions end in them.
  package var transactionCount: Int { boundaries.count { $0.isCommit } }

  /// The lines with another member at the end of the object in each.
  ///
  /// Those who ask for the same one after the other share the bytes.
  ///
  /// - Parameter member: The member as it stands in an object, with the comma before it.
  /// - Returns: The lines.
  /// - Complexity: O(*n*) for *n* bytes.
  package func bytes(with member: [UInt8]) -> [UInt8] {
    lastSpliced.withLock { last in
      if let last, last.member == member { return last.bytes }
      let spliced = splice(member)
      last = (member, spliced)
      return spliced
    }
  }

  private func splice(_ member: [UInt8]) -> [UInt8] {
    var spliced: [UInt8] = []
    spliced.reserveCapacity(bytes.count + ends.count * member.count)
    var start = 0
    for end in ends {
      // Before the brace and the line feed.
      spliced += bytes[start..<(end - 2)]
      spliced += member
      spliced += bytes[(end - 2)..<end]
      start = end
    }
    return spliced
  }

  /// The first so many lines.
  func prefix(_ count: Int) -> EncodedLines {
    EncodedLines(
      bytes: Array(bytes[..<end(of: count)]), ends: Array(ends[..<count]),
      boundaries: boundaries.filter { $0.lines <= count })
  }

  /// All but the first so many lines.
  func suffix(after count: Int) -> EncodedLines {
    let start = end(of: count)
    return EncodedLines(
      bytes: Array(bytes[start...]), ends: ends[count...].map { $0 - start },
      boundaries: boundaries.filter { $0.lines > count }.map {
        Boundary(lines: $0.lines - count, token: $0.token, isCommit: $0.isCommit)
      })
  }

  private func end(of count: Int) -> Int { count == 0 ? 0 : ends[count - 1] }
}
