/// A position as somebody asks for it.
public enum HistoryPosition: Sendable, Hashable {
  /// After the newest transaction.
  case now
  /// Before the oldest transaction that is kept.
  case oldest
  /// After what a token stands for.
  case after(HistoryToken)
}
