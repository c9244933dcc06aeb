public import HistoryModel

/// What a migration did.
public struct MigrationOutcome: Sendable {
  /// The version that the store had.
  public let from: Int
  /// The version that it has.
  public let to: Int
  /// The stages that were applied, in order: `0002 lists`.
  public internal(set) var applied: [String] = []
  /// The copy of the store as it was; nil when nothing was applied.
  public internal(set) var copy: String?
  /// How many rows each table had and has; empty when nothing was applied.
  public internal(set) var rows: [RowCount] = []
  /// What readers of the history were told.
  public internal(set) var notices: [CaptureNotice] = []
  /// Copies that were one too many.
  public internal(set) var removedCopies: [String] = []

  /// An outcome of nothing yet.
  init(from: Int, to: Int) {
    self.from = from
    self.to = to
  }
}
