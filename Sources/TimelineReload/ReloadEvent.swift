package import HistoryModel

/// Something that happened to the reloads of a kind, for whoever reports it.
package enum ReloadEvent: Sendable {
  /// A run began.
  case began(Reload)
  /// A run confirmed its range.
  case confirmed(Reload)
  /// A run failed; when the next one is due, if it is known.
  case failed(Reload, any Error, nextIn: Duration?)
  /// A run was ended, to make way for a later one or because everything ends.
  case ended(Reload)
  /// The position was lost, for this reason; a run with reason `reset` follows.
  case positionLost(HistoryError)
  /// The store cannot be listened to; it is tried again.
  case deaf(HistoryError)
  /// The store is listened to again.
  case listening
  /// The state could not be kept; it is tried again.
  case stateNotKept(HistoryError)
}
