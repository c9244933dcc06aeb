/// Who wins when a row was changed on both sides since they last agreed.
public enum ConflictPolicy: String, Sendable, CaseIterable {
  /// The store whose history is applied: the row becomes what it has.
  case source
  /// The store that is written to: the row stays as it is.
  case target
  /// The change that was committed later; at the same millisecond the store with the greater
  /// identity, so that both sides decide alike.
  case newest
  /// Nobody: nothing of the transaction is applied.
  case stop
}
