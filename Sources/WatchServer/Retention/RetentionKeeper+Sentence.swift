import HistoryModel

extension RetentionKeeper.Event {
  /// What to tell a person; nil for nothing.
  var sentence: String? {
    switch self {
    case .failed(let error): "history cannot be trimmed: \(error.message); trying again"
    case .recovered: "history can be trimmed again"
    case .heldBack(by: let name?): "the consumer \(name) holds history beyond the limits"
    case .heldBack(by: nil): nil
    }
  }
}
