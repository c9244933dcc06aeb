import HistoryModel
import TimelineReload

extension ReloadDeclaration {
  private static let keys = [
    "timeline", "database", "tables", "operations", "authors", "notAuthors", "ignoreAuthor",
    "columns", "debounce", "maxWait", "minInterval", "budget", "onBusy", "command", "subscribers",
  ]
  private static let nameLimit = 255
  private static let day = Duration.seconds(86_400)

  /// Reads the declaration of a kind.
  init(
    _ value: JSONValue, at place: [JSONPosition.Step], databases: [String], directory: String
  ) throws(ConfigurationFault) {
    let object = try ConfigurationObject(value, at: place, known: Self.keys)
    guard let name = try object.text("timeline", "a name", limit: Self.nameLimit) else {
      throw ConfigurationFault(
        reason: "\"timeline\" is missing", hint: "every kind has a name", place: place)
    }
    guard name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
      throw object.fault("timeline", "\"timeline\" has a control character")
    }
    databaseName = try object.text(
      "database", "a path", limit: ServerConfiguration.pathLimit)
    database = try Self.database(databaseName, object, databases, directory)
    ignoredAuthor = try object.text("ignoreAuthor", "an author", limit: Self.nameLimit)
    kind = TimelineKind(
      name, matching: try Self.interest(object, ignoring: ignoredAuthor),
      policy: try Self.policy(object))
    let words = try object.texts(
      "command", "a list of a program and its arguments", limit: 32 << 10, count: 256,
      mayBeEmpty: true, mayRepeat: true)
    if let program = words.first, program.isEmpty {
      throw object.fault("command", "\"command\" has an empty program", element: 0)
    }
    command = words.isEmpty ? nil : words
    tellsSubscribers = try object.boolean("subscribers") ?? words.isEmpty
    guard command != nil || tellsSubscribers else {
      throw object.fault(
        "subscribers", "the kind has neither a command nor subscribers",
        hint: "give it a \"command\", or leave \"subscribers\" out")
    }
  }

  private static func database(
    _ name: String?, _ object: ConfigurationObject, _ databases: [String], _ directory: String
  ) throws(ConfigurationFault) -> String {
    guard let name else {
      switch databases.count {
      case 0:
        throw ConfigurationFault(
          reason: "no database is served that the kind could be of",
          hint: "name one in \"databases\" or on the command line", place: object.place)
      case 1: return databases[0]
      default:
        throw ConfigurationFault(
          reason: "\"database\" is missing, and several databases are served",
          hint: "add \"database\": \(Quotation.of(databases[0])), or another of them",
          place: object.place)
      }
    }
    // As the file means it; else as the command line names one.
    for wanted in [
      ConfigurationPath.resolved(name, in: directory), ConfigurationPath.normalized(name),
    ] {
      if let path = databases.first(where: { ConfigurationPath.normalized($0) == wanted }) {
        return path
      }
    }
    throw object.fault(
      "database", "\"database\" names none that is served",
      hint: NearestWord.of(name, among: databases).map { "did you mean \"\($0)\"?" }
        ?? "add it to \"databases\"")
  }

  private static func interest(
    _ object: ConfigurationObject, ignoring ignored: String?
  ) throws(ConfigurationFault) -> ChangeInterest {
    let tables = try object.texts(
      "tables", "a list of table names", limit: nameLimit, count: 2000)
    let columns = try object.texts(
      "columns", "a list of column names", limit: nameLimit, count: 2000)
    let words = try object.texts("operations", "a list of operations", limit: 64, count: 8)
    var operations: Set<Operation> = []
    for (place, word) in words.enumerated() {
      guard let operation = Operation(rawValue: word) else {
        throw object.unknown(
          word, "operations", of: Operation.allCases.map(\.rawValue), element: place)
      }
      operations.insert(operation)
    }
    let authors = try self.authors("authors", object)
    var excluded = try self.authors("notAuthors", object)
    if let ignored { excluded.insert(ignored) }
    if !authors.isEmpty, authors.isSubset(of: excluded) {
      throw object.fault("authors", "every author of \"authors\" is left out again")
    }
    let folded = Set(columns.map(ChangeFilter.folded))
    return ChangeInterest(
      ChangeFilter(
        tables: tables, operations: operations, authors: authors, excludedAuthors: excluded),
      columns: folded.isEmpty ? .any : .named(folded))
  }

  /// Authors, of which an empty text stands for untagged transactions.
  private static func authors(
    _ name: String, _ object: ConfigurationObject
  ) throws(ConfigurationFault) -> Set<String?> {
    Set(
      try object.texts(
        name, "a list of authors", limit: nameLimit, count: 1000, mayBeEmpty: true
      ).map { $0.isEmpty ? nil : $0 })
  }

  private static func policy(
    _ object: ConfigurationObject
  ) throws(ConfigurationFault) -> ReloadPolicy {
    func duration(
      _ name: String, _ example: String, _ range: ClosedRange<Duration>
    ) throws(ConfigurationFault) -> Duration? {
      try object.measure(
        name, "a duration such as \(example)", range, MeasuredText.text, MeasuredText.duration)
    }
    var policy = ReloadPolicy()
    if let time = try duration("debounce", "250ms", .zero...day) { policy.debounce = time }
    if let time = try duration("maxWait", "2s", .zero...day) { policy.maximumWait = time }
    policy.minimumInterval = try duration("minInterval", "1m", .zero...(day * 366))
    policy.budget = try object.measure(
      "budget", "a budget such as 40/day", 1...1_000_000, { "\($0)/day" }, MeasuredText.perDay
    ).map { .perDay($0) }
    if try object.choice("onBusy", of: ["queue", "restart"]) == "restart" {
      policy.onBusy = .restart
    }
    return policy
  }
}
