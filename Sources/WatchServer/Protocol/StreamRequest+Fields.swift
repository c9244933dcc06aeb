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
    do throws(ChangeFilter.Fault) {
      return try ChangeFilter(
        tables: tables, operations: operations, authors: authors, excludedAuthors: excludedAuthors)
    } catch {
      switch error {
      case .operation: throw .field("op", "a list of \"insert\", \"update\" and \"delete\"")
      case .authors:
        throw HistoryError(
          .usage, "every author of \"author\" is left out again by \"not-author\"",
          hint: "leave one of the two out")
      }
    }
  }
}
