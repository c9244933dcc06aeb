package import HistoryModel

/// What a client must know to be answered.
///
/// Neither printing nor inspecting shows it.
package struct BearerToken: Sendable, CustomStringConvertible, CustomReflectable {
  private let bytes: [UInt8]

  /// Takes a token.
  ///
  /// - Parameter text: The token; white space around it, as files have it, does not belong to it.
  /// - Throws: `HistoryError` with code `usage` if a header cannot carry it.
  package init(_ text: String) throws(HistoryError) {
    let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0a, 0x0d].contains($0) }
    let bytes = Array(text.utf8.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    guard !bytes.isEmpty, bytes.allSatisfy({ 0x21...0x7e ~= $0 }), bytes.count <= 1024 else {
      throw HistoryError(
        .usage, "the bearer token is empty, too long, or has characters that headers cannot carry",
        hint: "make one with: head -c 24 /dev/urandom | base64")
    }
    self.bytes = bytes
  }

  /// Whether a header carries this token.
  ///
  /// It takes as long whether the first byte differs or the last.
  ///
  /// - Parameter header: The value of an `Authorization` header.
  /// - Returns: Whether it is `Bearer` and this token.
  package func isCarried(by header: String) -> Bool {
    let parts = header.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return false }
    let other = Array(parts[1].utf8)
    var difference: UInt8 = other.count == bytes.count ? 0 : 1
    for (place, byte) in bytes.enumerated() {
      difference |= byte ^ (place < other.count ? other[place] : 0)
    }
    return difference == 0
  }

  /// No part of the token.
  package var description: String { "BearerToken" }

  /// No part of the token.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
