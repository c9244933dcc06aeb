import HistoryModel
import HistoryStore

/// What `stream` was asked for.
struct StreamOptions: Sendable {
  enum Snapshot: String, CaseIterable, Sendable { case never, initial, only }
  enum OnExpired: String, CaseIterable, Sendable { case fail, snapshot, oldest }
  enum Group: String, CaseIterable, Sendable { case row, transaction }

  var database: String
  var since: HistoryPosition
  var isFollowing: Bool
  var until: HistoryToken?
  var limit: Int?
  var timeout: Duration?
  var filter: ChangeFilter
  var snapshot: Snapshot
  var onExpired: OnExpired
  var cursorFile: String?
  var consumer: String?
  var group: Group
  var bookmarkInterval: Duration?

  init(_ arguments: ParsedArguments) throws(HistoryError) {
    database = try arguments.database
    since = try Self.position(arguments.value("since") ?? "now")
    isFollowing = !arguments.flag("no-follow")
    if let text = arguments.value("until") { until = try HistoryToken(text) }
    limit = try arguments.count("limit")
    timeout = try arguments.duration("timeout")
    filter = try Self.filter(arguments)
    snapshot = try arguments.choice("snapshot", default: .never)
    onExpired = try arguments.choice("on-expired", default: .fail)
    cursorFile = arguments.value("cursor-file")
    consumer = arguments.value("consumer")
    group = try arguments.choice("group", default: .row)
    bookmarkInterval = try arguments.duration("bookmark-interval")
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
    var operations: Set<HistoryModel.Operation> = []
    for text in arguments.values("op") {
      guard let operation = HistoryModel.Operation(rawValue: text) else {
        throw HistoryError(
          .usage, "--op takes insert, update or delete", hint: "see: historywatch stream --help")
      }
      operations.insert(operation)
    }
    let authors = { (name: String) -> Set<String?> in
      Set(arguments.values(name).map { $0.isEmpty ? nil : $0 })
    }
    return ChangeFilter(
      tables: arguments.values("table"), operations: operations, authors: authors("author"),
      excludedAuthors: authors("not-author"))
  }
}
