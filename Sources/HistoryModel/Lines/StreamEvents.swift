/// Why a position cannot be used.
public enum ExpiryReason: String, Sendable {
  /// What followed it was trimmed.
  case trimmed
  /// Another store was moved over the file.
  case storeReplaced = "store-replaced"
  /// An older state of the store was put back.
  case storeRestored = "store-restored"
  /// The history was dropped.
  case historyDropped = "history-dropped"
}

/// Why a stream ends.
public enum ByeReason: String, Sendable {
  /// It reached the end that was asked for.
  case end
  /// It showed as many transactions as were asked for.
  case limit
  /// Nothing was shown for as long as was asked for.
  case timeout
  /// A signal ended it.
  case signal
  /// Its position cannot be used any more.
  case expired
  /// Its reader was too slow.
  case slow
  /// Something failed.
  case error
}

/// Something that happened to the capture of a table, rather than to its rows.
public struct CaptureNotice: Sendable, Hashable {
  /// How a table's shape changed.
  public enum SchemaAction: Sendable, Hashable {
    /// Columns were added.
    case columnsAdded([String])
    /// Columns were removed.
    case columnsRemoved([String])
    /// Columns have new names, which these are.
    case columnsRenamed([String])
    /// The table has a new name.
    case tableRenamed(String)
    /// The table is no longer there.
    case tableDropped

    /// The name on the wire.
    public var name: String {
      switch self {
      case .columnsAdded: "columns-added"
      case .columnsRemoved: "columns-removed"
      case .columnsRenamed: "columns-renamed"
      case .tableRenamed: "table-renamed"
      case .tableDropped: "table-dropped"
      }
    }
  }

  /// Why changes may be missing.
  public enum GapReason: String, Sendable {
    /// The triggers were not there, or not all of them.
    case captureWasMissing = "capture-was-missing"
    /// Columns were there that the triggers did not know.
    case columnsWereNotCaptured = "columns-were-not-captured"
    /// The rowids that stand in for keys may have been given anew.
    case rowIDsMayHaveChanged = "rowids-may-have-changed"
    /// A migration rebuilt the table.
    case migrated
  }

  /// What happened.
  public enum Event: Sendable, Hashable {
    /// The table's shape changed.
    case schema(SchemaAction)
    /// Changes may be missing.
    case gap(GapReason)
  }

  /// The table's name.
  public let table: String
  /// What happened.
  public let event: Event

  /// Makes a notice.
  ///
  /// - Parameters:
  ///   - table: The table's name.
  ///   - event: What happened.
  public init(table: String, _ event: Event) {
    self.table = table
    self.event = event
  }
}
