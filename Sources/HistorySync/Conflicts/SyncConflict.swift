public import HistoryModel

/// A row that was changed on both sides since they last agreed, and what was decided.
public struct SyncConflict: Sendable, Hashable {
  /// What was decided.
  public enum Outcome: String, Sendable {
    /// The row became what the source has.
    case source
    /// The row stayed as it was.
    case target
    /// Nothing of the transaction was applied.
    case stopped
  }

  /// The store whose history was applied.
  public let source: StoreIdentifier
  /// The number of its transaction.
  public let transaction: Int64
  /// Who wrote that; nil when it is untagged.
  public let author: String?
  /// The table.
  public let table: String
  /// What the source did to the row.
  public let operation: Operation
  /// The row's key.
  public let key: StoredRow
  /// What the source made of the row, as far as its line shows; nil when it deleted the row.
  public let theirs: StoredRow?
  /// The row as it was here; nil when it was not there.
  public let ours: StoredRow?
  /// What was decided.
  public let outcome: Outcome

  /// The conflict as a line of JSON, without its end.
  ///
  /// - Complexity: O(*n*) for *n* bytes in the rows.
  public var line: String {
    var output = Array(#"{"kind":"conflict","source":"\#(source)","transaction":"#.utf8)
    JSONText.append(transaction, to: &output)
    output += #","author":"#.utf8
    JSONText.append(author, to: &output)
    output += #","table":"#.utf8
    JSONText.append(table, to: &output)
    output += #","op":"\#(operation.rawValue)","key":"#.utf8
    WireRow.append(key, to: &output)
    output += #","theirs":"#.utf8
    WireRow.append(theirs, to: &output)
    output += #","ours":"#.utf8
    WireRow.append(ours, to: &output)
    output += #","outcome":"\#(outcome.rawValue)"}"#.utf8
    return String(decoding: output, as: UTF8.self)
  }
}
