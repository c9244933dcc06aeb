/// Writes events as browsers read them (`text/event-stream`).
///
/// The format is that of the HTML standard, section 9.2: a line for each field, an empty line after
/// each event. No text can end its line or its event: it is split at every line break that a reader
/// would see. Names and identifiers are the program's own and are checked.
package enum ServerSentEvents {
  /// The media type.
  package static let contentType = "text/event-stream"

  /// Appends an event.
  ///
  /// - Parameters:
  ///   - data: The event's text. Its line breaks, of whatever kind, arrive as line feeds.
  ///   - name: What the event is called; nil for `message`.
  ///   - id: Where a reader that comes back goes on, as `Last-Event-ID`; nil leaves that as it is.
  ///   - output: Where to write it.
  /// - Precondition: Neither `name` nor `id` has a line break in it, and `id` no NUL, since readers
  ///   would take it for none.
  /// - Complexity: O(*n*) for *n* bytes of text.
  package static func append(
    data: some Collection<UInt8>, name: String? = nil, id: String? = nil, to output: inout [UInt8]
  ) {
    if let id { append(field: "id", id, to: &output) }
    if let name { append(field: "event", name, to: &output) }
    appendLines(of: data, after: "data: ", to: &output)
    output.append(lineFeed)
  }

  /// Appends a comment, which readers skip: a sign of life.
  ///
  /// - Parameters:
  ///   - text: The comment.
  ///   - output: Where to write it.
  package static func append(comment text: String, to output: inout [UInt8]) {
    appendLines(of: text.utf8, after: ": ", to: &output)
    output.append(lineFeed)
  }

  /// Appends how long a reader waits before it comes back.
  ///
  /// - Parameters:
  ///   - pause: The pause, in whole milliseconds.
  ///   - output: Where to write it.
  package static func append(retryAfter pause: Duration, to output: inout [UInt8]) {
    let (seconds, attoseconds) = pause.components
    let milliseconds = max(0, seconds) * 1000 + max(0, attoseconds / 1_000_000_000_000_000)
    append(field: "retry", String(milliseconds), to: &output)
    output.append(lineFeed)
  }

  private static func append(field: String, _ value: String, to output: inout [UInt8]) {
    precondition(
      !value.utf8.contains { $0 == lineFeed || $0 == carriageReturn || $0 == 0 },
      "A name or an identifier is one line.")
    output += "\(field): \(value)\n".utf8
  }

  /// Writes text with a prefix before each of its lines.
  private static func appendLines(
    of text: some Collection<UInt8>, after prefix: String, to output: inout [UInt8]
  ) {
    output += prefix.utf8
    var hasReturned = false
    for byte in text {
      switch byte {
      case lineFeed where hasReturned: break
      case lineFeed, carriageReturn:
        output.append(lineFeed)
        output += prefix.utf8
      default: output.append(byte)
      }
      hasReturned = byte == carriageReturn
    }
    output.append(lineFeed)
  }

  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")
}
