public import HistoryModel
import SQLite

/// What became of a position that was asked for.
public enum ResolvedPosition: Sendable, Hashable {
  /// It can be read from.
  case usable(HistoryToken)
  /// It cannot be used any more.
  case expired(HistoryToken, ExpiryReason)
}

extension TrackedStore {
  /// Finds a position and the state of the store, at one moment.
  ///
  /// - Parameter position: What is asked for.
  /// - Returns: The position, and the store's state.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `foreignToken` when it is of another store.
  /// - Complexity: O(log *h*) for *h* rows of history.
  public func resolve(
    _ position: HistoryPosition
  ) throws(HistoryError) -> (position: ResolvedPosition, state: StoreState) {
    try HistoryError.translating(at: path) {
      try connection.transaction(.deferred) {
        let header = try header()
        let state = StoreState(header: header, head: try head(of: header))
        switch position {
        case .now: return (.usable(state.head), state)
        case .oldest: return (.usable(state.oldest), state)
        case .after(let token):
          if let reason = try expiry(of: token, in: header) {
            return (.expired(token, reason), state)
          }
          return (.usable(token), state)
        }
      }
    }
  }
}
