import HistoryObservation

extension StoreCondition {
  /// What a person is told of a store that has come into this condition.
  func note(path: String) -> String {
    switch self {
    case .followed: "\(path) is there and can be read again"
    case .locked: "\(path) is locked by another process; waiting"
    case .missing: "\(path) is gone; waiting for it to come back"
    }
  }
}
