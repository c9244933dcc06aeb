import HistoryModel
import TimelineReload

extension ServerConfiguration {
  /// Writes a text that is read as an equal configuration, with every default in it.
  ///
  /// - Returns: One line of JSON.
  package func rendered() -> [UInt8] {
    var members: [JSONObject.Member] = []
    if !declared.isEmpty { members.append("databases", .strings(declared)) }
    if let keep { members.append("keep", .string(MeasuredText.text(keep))) }
    if let keepSize { members.append("keepSize", .string(MeasuredText.text(bytes: keepSize))) }
    if !reloads.isEmpty { members.append("reloads", .array(reloads.map(\.json))) }
    var output: [UInt8] = []
    JSONText.append(.object(JSONObject(members)), to: &output)
    return output
  }
}

extension ReloadDeclaration {
  fileprivate var json: JSONValue {
    var members: [JSONObject.Member] = []
    members.append("timeline", .string(timeline))
    if let databaseName { members.append("database", .string(databaseName)) }
    let filter = kind.interest.filter
    members.append("tables", names: filter.tables)
    members.append("operations", names: Set(filter.operations.map(\.rawValue)))
    members.append("authors", names: Set(filter.authors.map { $0 ?? "" }))
    // The ignored author is among the excluded ones by itself.
    let excluded = filter.excludedAuthors.filter { $0 == nil || $0 != ignoredAuthor }
    members.append("notAuthors", names: Set(excluded.map { $0 ?? "" }))
    if let ignoredAuthor { members.append("ignoreAuthor", .string(ignoredAuthor)) }
    if case .named(let columns) = kind.interest.columns {
      members.append("columns", names: columns)
    }
    let policy = kind.policy
    members.append("debounce", .string(MeasuredText.text(policy.debounce)))
    members.append("maxWait", .string(MeasuredText.text(policy.maximumWait)))
    if let interval = policy.minimumInterval {
      members.append("minInterval", .string(MeasuredText.text(interval)))
    }
    if let budget = policy.budget {
      members.append("budget", .string("\(budget.reloadsPerDay)/day"))
    }
    members.append("onBusy", .string(policy.onBusy == .queue ? "queue" : "restart"))
    if let command { members.append("command", .strings(command)) }
    members.append("subscribers", .boolean(tellsSubscribers))
    return .object(JSONObject(members))
  }
}

extension [JSONObject.Member] {
  fileprivate mutating func append(_ name: String, _ value: JSONValue) {
    append(JSONObject.Member(name: name, value: value))
  }

  /// Appends a list in an order that does not vary, unless it is empty.
  fileprivate mutating func append(_ name: String, names: Set<String>) {
    if !names.isEmpty { append(name, .strings(names.sorted())) }
  }
}

extension JSONValue {
  fileprivate static func strings(_ texts: [String]) -> JSONValue {
    .array(texts.map { .string($0) })
  }
}
