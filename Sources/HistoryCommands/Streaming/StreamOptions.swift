import HistoryModel
import HistoryObservation
import HistoryStore

/// What `stream` was asked for.
struct StreamOptions: Sendable {
  var database: String
  /// What is wanted of its history.
  var request: StreamRequest
  var cursorFile: String?
  var consumer: String?

  init(_ arguments: ParsedArguments) throws(HistoryError) {
    database = try arguments.database
    request = try Self.request(arguments)
    cursorFile = arguments.value("cursor-file")
    consumer = arguments.value("consumer")
  }

  /// What the options ask for, wherever it is read from.
  static func request(_ arguments: ParsedArguments) throws(HistoryError) -> StreamRequest {
    var request = try StreamRequest(
      since: position(arguments.value("since") ?? "now"),
      isFollowing: !arguments.flag("no-follow"), limit: arguments.count("limit"),
      timeout: arguments.duration("timeout"), filter: filter(arguments),
      snapshot: arguments.choice("snapshot", default: .never),
      onExpired: arguments.choice("on-expired", default: .fail),
      group: arguments.choice("group", default: .row),
      bookmarkInterval: arguments.duration("bookmark-interval"))
    for text in arguments.values("not-origin") {
      guard let store = StoreIdentifier(text) else {
        throw HistoryError(
          .usage, "--not-origin takes the UUID of a store", hint: "see it with: historywatch status"
        )
      }
      request.filter.excludedOrigins.insert(store)
    }
    if let text = arguments.value("until") { request.until = try HistoryToken(printed: text) }
    return request
  }

  /// A position as options write it.
  static func position(_ text: String) throws(HistoryError) -> HistoryPosition {
    switch text {
    case "now": .now
    case "oldest": .oldest
    default: .after(try HistoryToken(text))
    }
  }

  /// The filter options that several commands share.
  static func filter(_ arguments: ParsedArguments) throws(HistoryError) -> ChangeFilter {
    do throws(ChangeFilter.Fault) {
      return try ChangeFilter(
        tables: arguments.values("table"), operations: arguments.values("op"),
        authors: arguments.values("author"), excludedAuthors: arguments.values("not-author"))
    } catch {
      switch error {
      case .operation:
        throw HistoryError(
          .usage, "--op takes insert, update or delete", hint: "see: historywatch stream --help")
      case .authors: throw everyAuthorLeftOut("--not-author")
      }
    }
  }

  /// Refuses a filter that no transaction can pass, for which one would wait for ever.
  static func requireSomeAuthor(_ filter: ChangeFilter, _ option: String) throws(HistoryError) {
    if filter.leavesOutEveryAuthor { throw everyAuthorLeftOut(option) }
  }

  private static func everyAuthorLeftOut(_ option: String) -> HistoryError {
    HistoryError(
      .usage, "every author of --author is left out again by \(option)",
      hint: "leave one of the two out")
  }
}
