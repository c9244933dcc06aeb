/// What happened to a row.
public enum Operation: String, Sendable, CaseIterable {
  /// The row was added.
  case insert
  /// The row was changed.
  case update
  /// The row was removed.
  case delete
}
