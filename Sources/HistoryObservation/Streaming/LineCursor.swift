import HistoryModel
import HistoryStore

/// Reads lines from a position on, for one who is behind.
///
/// Confined to the loop of its hub.
final class LineCursor {
  let reader: HistoryReader
  let request: LineRequest
  var collector: LineCollector
  /// The position up to which lines were handed out.
  private(set) var position: HistoryToken

  init(
    _ store: TrackedStore, _ request: LineRequest, after token: HistoryToken,
    until end: HistoryToken?
  ) throws(HistoryError) {
    self.request = request
    reader = try HistoryReader(store, after: token, filter: request.filter, until: end)
    collector = LineCollector(request)
    position = token
  }

  /// Hands out what was read.
  func page(isAtHead: Bool) -> LinePage {
    let since = position
    position = reader.token
    return collector.page(
      since: since, until: position, hasPassedOver: isAtHead && reader.takePassedOver())
  }
}
