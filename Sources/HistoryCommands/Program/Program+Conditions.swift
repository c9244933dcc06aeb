import HistoryModel
import HistoryObservation

extension Program {
  /// Tells a person whenever a store cannot be followed for a while.
  ///
  /// - Parameter store: The store.
  func tellConditions(of store: ObservedStore) async {
    await store.hub.onCondition { [self, path = store.path] condition in
      guard let note = Self.note(on: condition, of: path) else { return }
      Task(executorPreference: executor) { await self.note(note) }
    }
  }

  private static func note(on condition: StoreCondition, of path: String) -> String? {
    switch condition {
    case .followed: nil
    case .locked: "historywatch: \(path) is locked by another process; waiting"
    case .missing: "historywatch: \(path) is gone; waiting for it to come back"
    }
  }
}
