/// Names and texts as SQL spells them.
public enum Identifier {
  /// A name between double quotes, so that it means itself whatever it contains.
  ///
  /// - Parameter name: The name of a table, column, index or trigger.
  /// - Returns: The name with its quotes; a quote within is doubled.
  public static func quoted(_ name: String) -> String { enclosed(name, in: 0x22) }

  /// A text between single quotes.
  ///
  /// - Parameter text: Any text.
  /// - Returns: A literal, or an expression if the text contains a NUL, which no literal can.
  public static func literal(_ text: String) -> String {
    guard text.utf8.contains(0) else { return enclosed(text, in: 0x27) }
    let parts = text.utf8.split(separator: 0, omittingEmptySubsequences: false)
    let literals = parts.map { enclosed(String(decoding: $0, as: UTF8.self), in: 0x27) }
    return "(" + literals.joined(separator: "||char(0)||") + ")"
  }

  private static func enclosed(_ text: String, in quote: UInt8) -> String {
    // Bytes, not characters: a quote with a combining mark is a quote to SQLite.
    var bytes: [UInt8] = [quote]
    for byte in text.utf8 {
      bytes.append(byte)
      if byte == quote { bytes.append(quote) }
    }
    bytes.append(quote)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether two names are the same to SQLite, which folds the case of ASCII only.
  ///
  /// - Parameters:
  ///   - a: A name.
  ///   - b: Another.
  /// - Returns: Whether they are the same.
  public static func equal(_ a: String, _ b: String) -> Bool {
    a.utf8.elementsEqual(b.utf8) { folded($0) == folded($1) }
  }

  private static func folded(_ byte: UInt8) -> UInt8 {
    (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
  }
}
