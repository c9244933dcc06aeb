import HistoryModel
import HistoryObservation

/// The last lines of those that come along: so many, and about so many bytes, but one at least.
struct LastLines {
  /// How many there are at most.
  let count: Int
  /// How many bytes they have, unless it is one line.
  let size: Int
  /// The lines, each with its line feed, in the order in which they came.
  private(set) var lines: [[UInt8]] = []
  private var bytes = 0

  init(count: Int, size: Int) {
    self.count = count
    self.size = size
  }

  /// Takes in lines after which one can go on.
  ///
  /// - Parameters:
  ///   - encoded: The lines, each a whole transaction or a notice.
  ///   - token: The position of a line that is not wanted.
  /// - Complexity: O(*n*) for *n* bytes.
  mutating func add(_ encoded: EncodedLines, except token: HistoryToken?) {
    // By number: the same position may have been handed out in an earlier epoch.
    for boundary in encoded.boundaries where boundary.token.sequence != token?.sequence {
      let start = boundary.lines > 1 ? encoded.ends[boundary.lines - 2] : 0
      add(Array(encoded.bytes[start..<encoded.ends[boundary.lines - 1]]))
    }
  }

  private mutating func add(_ line: [UInt8]) {
    lines.append(line)
    bytes += line.count
    while lines.count > max(count, 1) || (bytes > size && lines.count > 1) {
      bytes -= lines.removeFirst().count
    }
  }
}
