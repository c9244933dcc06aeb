/// Encodes the events of a stream as JSON lines, by hand, into bytes.
///
/// The order of the fields is part of the contract. Each method appends one whole line.
public struct LineEncoder: Sendable {
  /// The lines so far.
  ///
  /// Whoever writes them out empties it.
  public var bytes: [UInt8] = []
  /// The transaction that the two pieces below were made for.
  var prefixed: TransactionRecord?
  /// What its change lines begin with, up to the index.
  var prefix: [UInt8] = []
  /// What stands between the index and the table.
  var middle: [UInt8] = []

  /// Makes an encoder with nothing in it.
  public init() {}

  /// How a stream begins.
  public enum Resume: String, Sendable {
    /// No position was given.
    case new
    /// The position given is gone on from.
    case `continue`
    /// Rows follow first.
    case snapshot
    /// The position could not be used, and the caller asked to go on.
    case reset
  }

  /// Appends the line that begins a stream.
  ///
  /// - Parameters:
  ///   - resume: How it begins.
  ///   - token: The position it begins at.
  ///   - oldest: The smallest position that can be read from.
  ///   - head: The position after the newest transaction.
  public mutating func hello(
    _ resume: Resume, token: HistoryToken, oldest: HistoryToken, head: HistoryToken
  ) {
    text(#"{"kind":"hello","format":1,"store":""#)
    text(head.storeIdentifier.description)
    text(#"","epoch":"#)
    JSONText.append(Int64(head.epoch), to: &bytes)
    text(#","resume":""#)
    text(resume.rawValue)
    text("\"")
    field("token", token)
    field("oldest", oldest)
    field("head", head)
    end()
  }

  /// Appends the line that says that everything up to a token was shown or did not match.
  ///
  /// - Parameter token: The position.
  public mutating func bookmark(_ token: HistoryToken) {
    text(#"{"kind":"bookmark""#)
    field("token", token)
    end()
  }

  /// Appends the line that says that a position cannot be used.
  ///
  /// - Parameters:
  ///   - requested: The position's text, as it was given.
  ///   - oldest: The smallest position that can be read from.
  ///   - head: The position after the newest transaction.
  ///   - reason: Why.
  public mutating func expired(
    requested: String, oldest: HistoryToken?, head: HistoryToken?, reason: ExpiryReason
  ) {
    text(#"{"kind":"expired","requested":"#)
    JSONText.append(requested, to: &bytes)
    if let oldest { field("oldest", oldest) }
    if let head { field("head", head) }
    text(#","reason":""#)
    text(reason.rawValue)
    text("\"")
    end()
  }

  /// Appends the line that ends a stream.
  ///
  /// - Parameters:
  ///   - reason: Why it ends.
  ///   - message: What went wrong, for an error.
  ///   - token: The position it got to.
  public mutating func bye(_ reason: ByeReason, message: String? = nil, token: HistoryToken?) {
    text(#"{"kind":"bye","reason":""#)
    text(reason.rawValue)
    text("\"")
    if let token { field("token", token) }
    if let message {
      text(#","message":"#)
      JSONText.append(message, to: &bytes)
    }
    end()
  }

  /// Appends a line about a table's shape or a gap in its capture.
  ///
  /// - Parameters:
  ///   - notice: What happened.
  ///   - token: Its position, when it is kept in the history.
  public mutating func notice(_ notice: CaptureNotice, token: HistoryToken?) {
    switch notice.event {
    case .schema(let action):
      text(#"{"kind":"schema","table":"#)
      JSONText.append(notice.table, to: &bytes)
      text(#","action":""#)
      text(action.name)
      text("\"")
      switch action {
      case .columnsAdded(let names), .columnsRemoved(let names), .columnsRenamed(let names):
        text(#","columns":["#)
        for (place, name) in names.enumerated() {
          if place > 0 { text(",") }
          JSONText.append(name, to: &bytes)
        }
        text("]")
      case .tableRenamed(let name):
        text(#","to":"#)
        JSONText.append(name, to: &bytes)
      case .tableDropped: break
      }
    case .gap(let reason):
      text(#"{"kind":"gap","table":"#)
      JSONText.append(notice.table, to: &bytes)
      text(#","reason":""#)
      text(reason.rawValue)
      text("\"")
    }
    if let token { field("token", token) }
    end()
  }

  /// Appends the line before the rows of a snapshot.
  ///
  /// - Parameters:
  ///   - token: The position at which the rows are so.
  ///   - tables: The tables that they are in.
  public mutating func snapshotBegin(_ token: HistoryToken, tables: [TableDefinition]) {
    text(#"{"kind":"snapshot-begin""#)
    field("token", token)
    text(#","tables":["#)
    for (place, definition) in tables.enumerated() {
      text(place == 0 ? #"{"table":"# : #",{"table":"#)
      JSONText.append(definition.table, to: &bytes)
      text(#","sql":"#)
      JSONText.append(definition.sql, to: &bytes)
      text("}")
    }
    text("]")
    end()
  }

  /// Appends the line after the rows of a snapshot.
  ///
  /// - Parameter token: The position at which the rows were so.
  public mutating func snapshotEnd(_ token: HistoryToken) {
    text(#"{"kind":"snapshot-end""#)
    field("token", token)
    end()
  }
}

extension LineEncoder {
  mutating func text(_ text: String) { bytes.append(contentsOf: text.utf8) }

  mutating func field(_ name: String, _ token: HistoryToken) {
    text(",\"")
    text(name)
    text("\":\"")
    token.append(to: &bytes)
    text("\"")
  }

  mutating func end() {
    bytes.append(UInt8(ascii: "}"))
    bytes.append(UInt8(ascii: "\n"))
  }
}
