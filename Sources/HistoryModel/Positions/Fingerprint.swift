/// A 64-bit digest of values, to tell whether what stands somewhere is still the same.
///
/// It guards against accidents (a restored backup, a typing error in a token), not against
/// somebody who wants to deceive: whoever can write to the file can write anything into it.
/// FNV-1a over a prefix-free encoding, a word at a time where there are words; each word is folded
/// after the multiplication, which else carries nothing down, and the end is mixed, so that short
/// inputs spread over all bits.
public struct Fingerprint: Sendable {
  private var state: UInt64 = 0xcbf2_9ce4_8422_2325

  /// Makes the digest of nothing.
  public init() {}

  /// Feeds one byte.
  @inline(__always)
  public mutating func combine(_ byte: UInt8) {
    state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
  }

  /// Feeds eight bytes at once.
  public mutating func combine(_ word: UInt64) {
    state = (state ^ word) &* 0x9e37_79b9_7f4a_7c15
    state ^= state >> 32
  }

  /// Feeds bytes, preceded by their count.
  public mutating func combine(_ content: some Collection<UInt8>) {
    combine(UInt64(content.count))
    for byte in content { combine(byte) }
  }

  /// Feeds a cell of a buffer with its storage class.
  public mutating func combine(_ cell: CellBuffer.Cell, in buffer: CellBuffer) {
    combine(cell.storage.rawValue)
    switch cell.storage {
    case .null: break
    case .integer, .real: combine(cell.payload)
    case .text, .blob: combine(buffer.content(of: cell))
    }
  }

  /// The digest.
  public var value: UInt64 {
    var x = state
    x ^= x >> 33
    x = x &* 0xff51_afd7_ed55_8ccd
    x ^= x >> 33
    return x
  }
}
