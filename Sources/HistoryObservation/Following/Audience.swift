import HistoryModel

/// All who have the same interest in one store.
///
/// What matches is worked out once for all of them. Confined to the loop of its hub, which keeps
/// it; it does not keep who listens.
final class Audience {
  var meter: InterestMeter
  private var listeners: [Listener] = []

  private struct Listener {
    weak var object: (any HistoryListener)?
  }

  init(_ interest: ChangeInterest, since token: HistoryToken) {
    meter = InterestMeter(interest, since: token)
  }

  /// Whether nobody listens any more.
  var isEmpty: Bool { listeners.allSatisfy { $0.object == nil } }

  /// Lets somebody listen from now on.
  func add(_ listener: any HistoryListener) {
    listeners.removeAll { $0.object == nil }
    listeners.append(Listener(object: listener))
  }

  /// Tells somebody no more.
  func remove(_ listener: any HistoryListener) {
    listeners.removeAll { $0.object == nil || $0.object === listener }
  }

  /// Tells everybody, in the order in which they came, what there was up to a position.
  func deliver(until token: HistoryToken) {
    let summary = meter.takeSummary(until: token)
    let hasMatch = !summary.isEmpty
    for listener in listeners {
      guard let object = listener.object else { continue }
      if hasMatch { object.changed(summary) } else { object.passed(token) }
    }
  }

  /// Tells everybody that they cannot go on, and lets them go.
  func fail(_ error: HistoryError, at token: HistoryToken) {
    let leaving = listeners
    listeners = []
    _ = meter.takeSummary(until: token)
    for listener in leaving { listener.object?.failed(error) }
  }
}
