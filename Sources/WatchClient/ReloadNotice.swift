public import HistoryModel

/// A server says that a timeline has to be refreshed, and what changed since it last was.
///
/// The kinds of timelines are those of the server's configuration file.
public struct ReloadNotice: Hashable, Sendable {
  /// Why a timeline has to be refreshed.
  public struct Reason: Hashable, Sendable, CustomStringConvertible {
    /// The reason's name on the wire.
    public let description: String

    /// Changes that matter to it were committed.
    public static let changed = Reason(description: "changed")
    /// It may have missed anything, so it has to be built anew.
    public static let reset = Reason(description: "reset")
  }

  /// The timeline's name.
  public let timeline: String
  /// Why.
  public let reason: Reason
  /// The position at which the changes begin; nil where it is not known.
  public let since: HistoryToken?
  /// The position after them, to go on from once it was refreshed; nil where it is not known.
  public let until: HistoryToken?
  /// How many transactions there were.
  public let transactions: Int
  /// How many changes they made.
  public let changes: Int
  /// The tables that they changed.
  public let tables: [String]
  /// Who made them; nil stands for untagged ones.
  public let authors: [String?]

  /// Reads a line of kind `reload`.
  init(_ line: JSONValue) throws(LineError) {
    guard let timeline = line["timeline"]?.string else {
      throw LineError("a string is expected", in: "timeline")
    }
    guard let reason = line["reason"]?.string else {
      throw LineError("a string is expected", in: "reason")
    }
    self.timeline = timeline
    self.reason = Reason(description: reason)
    since = try Self.token("since", of: line)
    until = try Self.token("until", of: line)
    transactions = try Self.count("transactions", of: line)
    changes = try Self.count("changes", of: line)
    tables = try Self.names("tables", of: line).compactMap(\.self)
    authors = try Self.names("authors", of: line)
  }

  private static func token(
    _ name: String, of line: JSONValue
  ) throws(LineError) -> HistoryToken? {
    guard let value = line[name] else { return nil }
    guard let text = value.string else { throw LineError("a token is expected", in: name) }
    do throws(HistoryError) {
      return try HistoryToken(text)
    } catch {
      throw LineError("it is no token, or was damaged", in: name)
    }
  }

  private static func count(_ name: String, of line: JSONValue) throws(LineError) -> Int {
    guard let value = line[name] else { return 0 }
    guard let count = value.integer, count >= 0 else {
      throw LineError("an integer from 0 on is expected", in: name)
    }
    return Int(count)
  }

  /// A list of strings and nulls, empty where there is none.
  private static func names(_ name: String, of line: JSONValue) throws(LineError) -> [String?] {
    guard let value = line[name] else { return [] }
    guard let elements = value.array,
      elements.allSatisfy({ $0.isNull || $0.string != nil })
    else { throw LineError("a list of strings is expected", in: name) }
    return elements.map(\.string)
  }
}
