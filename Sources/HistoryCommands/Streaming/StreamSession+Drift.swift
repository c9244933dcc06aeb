import HistoryModel
import HistoryStore

extension StreamSession {
  /// Tells at the head, as far as it has not been told, what is amiss with capture.
  ///
  /// What is told here has no token: it becomes a row of the history when capture is renewed.
  func encodeDrift() throws(HistoryError) {
    let version = try store.schemaVersion()
    guard version != toldSchemaVersion else { return }
    toldSchemaVersion = version
    let notices = try store.tables(isThorough: false).flatMap(\.notices)
      .filter { options.filter.matches(table: $0.table) }
    for notice in notices where !toldNotices.contains(notice) {
      lines.notice(notice, token: nil)
      hasShown = true
    }
    toldNotices = Set(notices)
  }
}
