package import HistoryModel

/// A place in the lines that follow a token: how many whole lines of what comes next are out already,
/// and how many bytes of the line after them.
///
/// Places inside a transaction exist only where it is divided, because it is larger than a message.
/// Lines are counted, and not messages, so that whoever goes on may divide it otherwise.
package struct RelayPosition: Hashable, Sendable {
  /// The position after the last whole transaction.
  package var token: HistoryToken
  /// How many lines of the next transaction came before the place.
  package var lines: Int
  /// How many bytes of the line after them came before the place.
  package var bytes: Int

  package init(_ token: HistoryToken, lines: Int = 0, bytes: Int = 0) {
    self.token = token
    self.lines = lines
    self.bytes = bytes
  }

  /// Whether it is between two transactions.
  package var isBoundary: Bool { lines == 0 && bytes == 0 }
}

extension RelayPosition: CustomStringConvertible {
  /// The token, and where it is needed `+` and the lines, and where it is needed `/` and the bytes.
  package var description: String {
    if isBoundary { return token.description }
    return bytes == 0 ? "\(token)+\(lines)" : "\(token)+\(lines)/\(bytes)"
  }

  /// Reads the text.
  ///
  /// - Returns: nil when it is not one.
  package init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "+", omittingEmptySubsequences: false)
    guard parts.count <= 2, let token = try? HistoryToken(parts[0]) else { return nil }
    self.init(token)
    guard parts.count == 2 else { return }
    let counts = parts[1].split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard counts.count <= 2, let lines = counts[0], lines >= 0 else { return nil }
    self.lines = lines
    guard counts.count == 2 else { return }
    guard let bytes = counts[1], bytes > 0 else { return nil }
    self.bytes = bytes
  }
}
