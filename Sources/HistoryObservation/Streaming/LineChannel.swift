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

  /// What was handed out last, one page following the other, for those who were not ready for it.
  private var recent: [LinePage] = []
  private var recentSize = 0
  /// How many received at most.
  private var crowd = 0

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

  /// Lets somebody receive from now on.
  func add(_ receiver: any LineReceiver) {
    receivers.removeAll { $0.object == nil }
    receivers.append(Receiver(object: receiver))
    crowd = max(crowd, receivers.count)
  }

  /// What was handed out after a position, as far as it is still at hand.
  ///
  /// - Parameter position: The position.
  /// - Returns: The page that has what follows, or the rest of it.
  /// - Complexity: O(log *p*) for *p* pages where the position is the beginning of one.
  func page(after position: HistoryToken) -> LinePage? {
    var (low, high) = (0, recent.count)
    while low < high {
      let middle = (low + high) / 2
      if recent[middle].until.sequence > position.sequence {
        high = middle
      } else {
        low = middle + 1
      }
    }
    return low < recent.count ? recent[low].after(position) : nil
  }

  private func keep(_ page: LinePage) {
    // Each may be there a second time, with the name of a subscription in it.
    recentSize += Self.size(page)
    recent.append(page)
    let limit = min(Self.limit, crowd * (8 << 10))
    guard recentSize > 2 * limit else { return }
    var count = 0
    while recentSize > limit {
      recentSize -= Self.size(recent[count])
      count += 1
    }
    recent.removeFirst(count)
  }

  private static func size(_ page: LinePage) -> Int { 2 * page.lines.bytes.count + 512 }

  private func forget() {
    recent = []
    recentSize = 0
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
    keep(page)
    // One that reads by himself again leaves while the others are given theirs.
    for receiver in receivers { receiver.object?.received(page) }
  }

  private func giveUp() {
    forget()
    isIncomplete = true
    collector = LineCollector(request)
  }

  func refresh() {}

  func storeChanged(_ store: TrackedStore) {
    forget()
    collector.dropUnfinished()
  }

  func positionsExpired(_ error: HistoryError, at token: HistoryToken) {
    forget()
    let leaving = receivers
    receivers = []
    collector = LineCollector(request)
    isIncomplete = false
    position = token
    for receiver in leaving { receiver.object?.failed(error) }
  }

  func closed(_ error: HistoryError) {
    forget()
    let leaving = receivers
    receivers = []
    for receiver in leaving { receiver.object?.failed(error) }
  }
}
