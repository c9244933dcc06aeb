import HistoryObservation

extension Program {
  /// Tells a person whenever a store cannot be followed for a while, and when it can again.
  ///
  /// - Parameter store: The store.
  func tellConditions(of store: ObservedStore) async {
    await store.hub.onCondition { [self, path = store.path] condition in
      Task(executorPreference: executor) {
        await self.note("historywatch: \(condition.note(path: path))")
      }
    }
  }
}
