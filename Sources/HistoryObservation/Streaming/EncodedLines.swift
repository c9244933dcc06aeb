import EventLoop
package import HistoryModel

/// Lines that followed a position, encoded once for all who stand there.
package final class EncodedLines: Sendable {
  /// A line that ends a transaction, or tells of something else that has a position.
  package struct Boundary: Sendable, Equatable {
    /// How many lines there are up to it, with its own.
    package let lines: Int
    /// The position after it.
    package let token: HistoryToken
    /// Whether a transaction ends there.
    package let isCommit: Bool
  }

  /// The position that they follow.
  package let since: HistoryToken
  /// The position that they lead to.
  ///
  /// Behind the last boundary nothing up to here matched.
  package let until: HistoryToken
  /// Whole lines.
  package let bytes: [UInt8]
  /// Where each line ends, behind its line feed.
  package let ends: [Int]
  /// Where transactions end.
  package let boundaries: [Boundary]
  /// Whether transactions were passed over at the end because nothing in them matched.
  package let hasPassedOver: Bool
  /// What is told in them of capture that has no position yet.
  package let drift: [CaptureNotice]
  private let lastSpliced = Guarded<(suffix: [UInt8], bytes: [UInt8])?>(nil)

  init(
    since: HistoryToken, until: HistoryToken, bytes: [UInt8], ends: [Int],
    boundaries: [Boundary], hasPassedOver: Bool, drift: [CaptureNotice]
  ) {
    self.since = since
    self.until = until
    self.bytes = bytes
    self.ends = ends
    self.boundaries = boundaries
    self.hasPassedOver = hasPassedOver
    self.drift = drift
  }

  /// How many transactions end in them.
  package var transactionCount: Int { boundaries.count { $0.isCommit } }

  /// The lines with another member at the end of each object.
  ///
  /// Those who ask for the same one after the other share the bytes.
  ///
  /// - Parameter member: The member as it stands in an object, with the comma before it.
  /// - Returns: The lines.
  /// - Complexity: O(*n*) for *n* bytes.
  package func bytes(with member: [UInt8]) -> [UInt8] {
    lastSpliced.withLock { last in
      if let last, last.suffix == member { return last.bytes }
      let bytes = Self.splice(bytes, ends, member)
      last = (member, bytes)
      return bytes
    }
  }

  /// Puts a member at the end of the object in each line.
  ///
  /// - Parameters:
  ///   - bytes: Whole lines.
  ///   - ends: Where each ends, behind its line feed.
  ///   - member: The member, with the comma before it.
  /// - Returns: The lines.
  package static func splice(_ bytes: [UInt8], _ ends: [Int], _ member: [UInt8]) -> [UInt8] {
    var spliced: [UInt8] = []
    spliced.reserveCapacity(bytes.count + ends.count * member.count)
    var start = 0
    for end in ends {
      spliced += bytes[start..<(end - 2)]
      spliced += member
      spliced += bytes[(end - 2)..<end]
      start = end
    }
    return spliced
  }

  /// The lines behind a position between two of their transactions.
  ///
  /// - Parameter position: The position.
  /// - Returns: Nil where it is no such position: the lines do not say what follows it.
  package func after(_ position: HistoryToken) -> EncodedLines? {
    if position == since { return self }
    if position == until { return part(from: ends.count, since: until) }
    guard let boundary = boundaries.last(where: { $0.token == position }) else { return nil }
    return part(from: boundary.lines, since: position)
  }

  /// The lines up to and with some transactions.
  ///
  /// - Parameter count: How many transactions.
  /// - Returns: The lines; all of them where they have no more transactions.
  package func prefix(transactions count: Int) -> EncodedLines {
    var remaining = count
    for (place, boundary) in boundaries.enumerated() where boundary.isCommit {
      remaining -= 1
      guard remaining == 0 else { continue }
      return EncodedLines(
        since: since, until: boundary.token, bytes: Array(bytes[..<end(of: boundary.lines)]),
        ends: Array(ends[..<boundary.lines]), boundaries: Array(boundaries[...place]),
        hasPassedOver: false, drift: [])
    }
    return self
  }

  private func part(from line: Int, since position: HistoryToken) -> EncodedLines {
    let start = end(of: line)
    return EncodedLines(
      since: position, until: until, bytes: Array(bytes[start...]),
      ends: ends[line...].map { $0 - start },
      boundaries: boundaries.filter { $0.lines > line }.map {
        Boundary(lines: $0.lines - line, token: $0.token, isCommit: $0.isCommit)
      }, hasPassedOver: hasPassedOver, drift: line == 0 ? drift : [])
  }

  /// Where the first so many lines end.
  private func end(of count: Int) -> Int { count == 0 ? 0 : ends[count - 1] }
}
