import HistoryModel
import HistoryStore

extension ChangeFilter {
  /// What a person is told of wanted tables that are not tracked, for which one would wait in vain.
  ///
  /// It is no failure: a table may be tracked later, and one that was dropped has a history.
  ///
  /// - Parameter store: The store.
  /// - Returns: A sentence; nil where every wanted table is tracked, or all are wanted.
  /// - Throws: ``HistoryModel/HistoryError`` when the store cannot be read.
  func noteOfUntracked(in store: TrackedStore) throws(HistoryError) -> String? {
    guard !tables.isEmpty else { return nil }
    let tracked = Set(try store.tables(isThorough: true).map { Self.folded($0.table) })
    let names = tables.subtracting(tracked).sorted()
    guard !names.isEmpty else { return nil }
    let verb = names.count == 1 ? "is" : "are"
    return "\(HistoryError.enumeration(names)) \(verb) not tracked now; see: historywatch status"
  }
}
