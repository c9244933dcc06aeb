import HistoryModel

/// A stored value as the log shows it to a person, on one line.
struct LogValue: Sendable {
  /// The text, however long.
  let text: String

  /// Writes a value.
  init(_ value: StoredValue) {
    switch value {
    case .null: text = "null"
    case .integer(let number): text = "\(number)"
    case .real(let number): text = "\(number)"
    case .blob(let bytes): text = "blob of \(Self.bytes(bytes.count))"
    case .malformedText(let bytes): text = "text of \(Self.bytes(bytes.count)), not UTF-8"
    // Nobody reads more of it here, and a megabyte would take its time.
    case .text(let content): text = "\"\(PrintableText.line(String(content.prefix(400))))\""
    }
  }

  private static func bytes(_ count: Int) -> String { count == 1 ? "1 byte" : "\(count) bytes" }
}
