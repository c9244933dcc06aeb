import HistoryModel
import HistoryObservation
import HistoryStore

extension StreamSession {
  /// Tells at the head, as far as it has not been told, what is amiss with capture.
  ///
  /// What is told here has no token: it becomes a row of the history when capture is renewed.
  ///
  /// - Parameter version: The schema's cookie that the page at the head was read with, other than
  ///   ``toldSchemaVersion``.
  /// - Throws: ``HistoryModel/HistoryError`` when the store cannot be read.
  func encodeDrift(_ version: Int64) throws(HistoryError) {
    let notices = try store.tables(isThorough: false).flatMap(\.notices)
      .filter { request.filter.matches(table: $0.table) }
    toldSchemaVersion = version
    for notice in notices where !toldNotices.contains(notice) {
      lines.notice(notice, token: nil)
      hasShown = true
    }
    toldNotices = Set(notices)
  }
}
