public import HistoryModel

/// Which part of the history is to be kept.
public enum RetentionPolicy: Sendable, Hashable {
  /// The newest transactions, so many of them; those that changed nothing do not count.
  case newest(Int)
  /// Transactions made at or after a moment.
  ///
  /// One that has no time, or a time that lies ahead because a clock was wrong, is as old as the
  /// next one that can tell.
  case since(CalendarTime)
  /// What follows a position, exactly.
  case after(HistoryToken)
  /// The newest transactions whose values fit into so many bytes.
  case size(Int64)
}
