import HistoryModel
import HistoryStore

/// Lines of what is committed, encoded once for all who want the same ones.
///
/// Confined to the loop of its hub. It does not keep who receives.
final class LineChannel: StoreFeed {
  /// How many bytes are kept of what one look found; of more each reads by himself.
  static let limit = 1 << 20

  let request: LineRequest
  private var collector: LineCollector
  private var position: HistoryToken
  private var receivers: [Receiver] = []
  /// Whether the lines since ``position`` are not all there.
  private var isIncomplete: Bool

  private struct Receiver {
    weak var object: (any LineReceiver)?
  }

  /// Begins at a position.
  ///
  /// - Parameters:
  ///   - request: Which lines it makes.
  ///   - token: The position.
  ///   - isIncomplete: Whether some of what follows was read already.
  init(_ request: LineRequest, since token: HistoryToken, isIncomplete: Bool) {
    self.request = request
    self.isIncomplete = isIncomplete
    collector = LineCollector(request)
    position = token
  }

  var isGone: Bool { receivers.allSatisfy { $0.object == nil } }

  /// How many receive.
  var receiverCount: Int { receivers.count { $0.object != nil } }

  /// Lets somebody receive from now on.
  func add(_ receiver: any LineReceiver) {
    receivers.removeAll { $0.object == nil }
    receivers.append(Receiver(object: receiver))
  }

  /// Gives somebody no more.
  func remove(_ receiver: any LineReceiver) {
    receivers.removeAll { $0.object == nil || $0.object === receiver }
  }

  func take(_ item: HistoryItem, values: CellBuffer) {
    guard !isIncomplete else { return }
    collector.take(item, values: values)
    if collector.size > Self.limit { giveUp() }
  }

  func take(_ notice: CaptureNotice) { collector.take(notice) }

  func caughtUp(at token: HistoryToken) {
    guard !isIncomplete else {
      giveUp()
      isIncomplete = false
      position = token
      for receiver in receivers { receiver.object?.mustRead() }
      return
    }
    guard token != position || collector.size > 0 else { return }
    let page = collector.page(since: position, until: token)
    position = token
    // One that reads by himself again leaves while the others are given theirs.
    for receiver in receivers { receiver.object?.received(page) }
  }

  private func giveUp() {
    isIncomplete = true
    collector = LineCollector(request)
  }

  func refresh() {}

  func storeChanged(_ store: TrackedStore) { collector.dropUnfinished() }

  func positionsExpired(_ error: HistoryError, at token: HistoryToken) {
    let leaving = receivers
    receivers = []
    collector = LineCollector(request)
    isIncomplete = false
    position = token
    for receiver in leaving { receiver.object?.failed(error) }
  }

  func closed(_ error: HistoryError) {
    let leaving = receivers
    receivers = []
    for receiver in leaving { receiver.object?.failed(error) }
  }
}
