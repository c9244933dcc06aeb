import HistoryModel

/// A subscription to reloads of some timelines, which are as many subscriptions of one connection,
/// since each of them has a position of its own.
struct ReloadContent: SubscriptionContent {
  private let database: String?
  private let timelines: [String]
  /// Up to where each was refreshed.
  private var positions: [HistoryToken?]
  private var decoder = LineDecoder()

  init(database: String?, timelines: [String], since positions: [String: HistoryToken]) {
    self.database = database
    self.timelines = timelines
    self.positions = timelines.map { positions[$0] }
  }

  var requests: [ClientRequest] {
    zip(timelines, positions).enumerated().map { place, item in
      ClientRequest(
        "subscribe",
        [
          "subscription": .string("reloads-\(place)"),
          "database": database.map { .string($0) }, "timeline": [.string(item.0)],
          "since": item.1.map { .string($0.description) },
        ])
    }
  }

  mutating func take(_ line: JSONValue) throws(LineError) -> SubscriptionOutcome<ReloadNotice> {
    guard line["kind"]?.string == "reload" else {
      if case .bye(let bye) = try decoder.decode(line) {
        return SubscriptionOutcome(bye, after: nil)
      }
      return .nothing
    }
    let notice = try ReloadNotice(line)
    guard let place = timelines.firstIndex(of: notice.timeline) else {
      throw LineError("nobody asked for this one", in: "timeline")
    }
    if let until = notice.until { positions[place] = until }
    return .element(notice)
  }

  mutating func connectionLost() {}
}
