import HistoryModel
import HistoryObservation

extension Program {
  /// What a person is told of a store that cannot be followed at the moment.
  static func note(on condition: StoreCondition, of path: String) -> String? {
    switch condition {
    case .followed: nil
    case .locked: "historywatch: \(path) is locked by another process; waiting"
    case .missing: "historywatch: \(path) is gone; waiting for it to come back"
    }
  }
}

/// Tells a person whenever a store cannot be followed for a while.
func tellConditions(of store: ObservedStore, _ program: Program) async {
  await store.hub.onCondition { [path = store.path] condition in
    guard let note = Program.note(on: condition, of: path) else { return }
    Task(executorPreference: program.executor) { await program.note(note) }
  }
}
