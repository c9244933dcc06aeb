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
          "subscription": .string("\(Self.name)\(place)"),
          "database": database.map { .string($0) }, "timeline": [.string(item.0)],
          "since": item.1.map { .string($0.description) },
        ])
    }
  }

  mutating func take(_ line: JSONValue) throws(LineError) -> SubscriptionOutcome<ReloadNotice> {
    guard line["kind"]?.string == "reload" else {
      guard case .bye(let bye) = try decoder.decode(line) else { return .nothing }
      // The others would go on, but for nobody: a sequence that lacks one silently is worse than none.
      if bye.reason == .end { return .failed(.timelineGone(timeline(of: line))) }
      return SubscriptionOutcome(bye, after: nil)
    }
    let notice = try ReloadNotice(line)
    guard let place = timelines.firstIndex(of: notice.timeline) else {
      throw LineError("nobody asked for this one", in: "timeline")
    }
    if let until = notice.until { positions[place] = until }
    return .element(notice)
  }

  mutating func connectionLost() {}

  private static let name = "reloads-"

  /// The timeline of the subscription that a line belongs to.
  private func timeline(of line: JSONValue) -> String? {
    guard let name = line["subscription"]?.string, name.hasPrefix(Self.name),
      let place = Int(name.dropFirst(Self.name.count)), timelines.indices.contains(place)
    else { return nil }
    return timelines[place]
  }
}
