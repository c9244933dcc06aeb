import HistoryModel
import TimelineReload

/// What `run` was asked for.
struct RunOptions: Sendable {
  enum OnBusy: String, CaseIterable, Sendable { case queue, restart }

  var database: String
  /// The program and its arguments.
  var command: [String]
  var kind: TimelineKind
  /// Which changes the kind is about.
  var filter: ChangeFilter
  /// Where to begin without a state.
  var since: HistoryPosition
  /// The path of the state file.
  var state: String
  /// The author under which the command writes.
  var author: String?

  init(_ arguments: ParsedArguments) throws(HistoryError) {
    database = try arguments.database
    command = arguments.operands("COMMAND")
    since = try StreamOptions.position(arguments.value("since") ?? "now")
    author = arguments.value("ignore-own")
    let name = arguments.value("kind") ?? ""
    state = arguments.value("state") ?? ReloadStates.path(beside: database, kind: name)
    filter = try StreamOptions.filter(arguments)
    if let author {
      filter.excludedAuthors.insert(author)
      try StreamOptions.requireSomeAuthor(filter, "--ignore-own")
    }
    kind = TimelineKind(name, matching: ChangeInterest(filter), policy: try Self.policy(arguments))
  }

  private static func policy(_ arguments: ParsedArguments) throws(HistoryError) -> ReloadPolicy {
    var policy = ReloadPolicy()
    if let debounce = try arguments.duration("debounce") { policy.debounce = debounce }
    if let limit = try arguments.duration("max-wait") { policy.maximumWait = limit }
    policy.minimumInterval = try arguments.duration("min-interval")
    if let text = arguments.value("budget") {
      policy.budget = .perDay(try BudgetArgument(text, for: "--budget").perDay)
    }
    switch try arguments.choice("on-busy", default: OnBusy.queue) {
    case .queue: policy.onBusy = .queue
    case .restart: policy.onBusy = .restart
    }
    return policy
  }
}
