import HistoryModel
import HistoryObservation

extension StreamRequest {
  /// How far apart bookmarks are on a socket unless the client says otherwise.
  static let usualBookmarkInterval = Duration.seconds(15)

  /// Takes what `stream` has as options out of the fields of a request.
  init(_ fields: inout RequestFields) throws(HistoryError) {
    let interval = try fields.duration("bookmark-interval") ?? Self.usualBookmarkInterval
    try self.init(
      since: Self.position(fields.text("since")), isFollowing: !fields.flag("no-follow"),
      until: fields.token("until"), limit: fields.count("limit"),
      timeout: fields.duration("timeout"),
      filter: Self.filter(
        tables: fields.texts("table"), operations: fields.texts("op"),
        authors: fields.texts("author"), excludedAuthors: fields.texts("not-author")),
      snapshot: fields.choice("snapshot", default: .never),
      onExpired: fields.choice("on-expired", default: .fail),
      group: fields.choice("group", default: .row),
      bookmarkInterval: interval == .zero ? nil : interval)
  }

  /// A position as a request writes it.
  static func position(_ text: String?) throws(HistoryError) -> HistoryPosition {
    switch text {
    case nil, "now": .now
    case "oldest": .oldest
    case let text?: .after(try HistoryToken(text))
    }
  }

  /// A filter of words.
  static func filter(
    tables: [String], operations: [String], authors: [String], excludedAuthors: [String]
  ) throws(HistoryError) -> ChangeFilter {
    var wanted: Set<HistoryModel.Operation> = []
    for word in operations {
      guard let operation = HistoryModel.Operation(rawValue: word) else {
        throw .field("op", "a list of \"insert\", \"update\" and \"delete\"")
      }
      wanted.insert(operation)
    }
    return ChangeFilter(
      tables: tables, operations: wanted, authors: Set(authors.map(Self.author)),
      excludedAuthors: Set(excludedAuthors.map(Self.author)))
  }

  /// The empty name stands for no author.
  private static func author(_ name: String) -> String? { name.isEmpty ? nil : name }
}
