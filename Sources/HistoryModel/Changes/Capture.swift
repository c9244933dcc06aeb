/// How much of a row's change is captured.
public enum Capture: String, Sendable, CaseIterable {
  /// The key and nothing else.
  case keys
  /// The whole row of inserts and deletes, the changed columns of updates.
  case changes
  /// The whole row, before and after.
  case full
}
