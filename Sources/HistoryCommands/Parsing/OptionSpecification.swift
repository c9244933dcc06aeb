/// One option of a command.
struct OptionSpecification: Sendable {
  /// The name without its dashes.
  let name: String
  /// What value it takes; nil for a flag.
  let value: ValueSpecification?
  /// Whether it may be given more than once.
  let isRepeatable: Bool
  /// What holds when it is not given, where that is worth saying.
  let defaultText: String?
  /// Options that must not be given with it.
  let excludes: [String]
  /// What it does, without a full stop.
  let help: String

  /// Makes an option.
  ///
  /// - Parameters:
  ///   - name: The name without its dashes.
  ///   - value: What value it takes; nil for a flag.
  ///   - repeatable: Whether it may be given more than once.
  ///   - defaultText: What holds when it is not given.
  ///   - excludes: Options that must not be given with it.
  ///   - help: What it does, without a full stop.
  init(
    _ name: String, _ value: ValueSpecification? = nil, repeatable: Bool = false,
    default defaultText: String? = nil, excludes: [String] = [], help: String
  ) {
    self.name = name
    self.value = value
    self.isRepeatable = repeatable
    self.defaultText = defaultText
    self.excludes = excludes
    self.help = help
  }

  /// The option as it is typed, with the name of its value.
  var label: String { value.map { "--\(name) \($0.name)" } ?? "--\(name)" }
}

extension OptionSpecification {
  /// Which changes to show, the same for every command that shows changes.
  static let filters: [OptionSpecification] = [
    OptionSpecification(
      "table", .text("TABLE"), repeatable: true,
      help: "Only changes of this table; repeat it for several"),
    OptionSpecification(
      "op", .choice(["insert", "update", "delete"]), repeatable: true,
      help: "Only changes of this kind; repeat it for several"),
    OptionSpecification(
      "author", .text("NAME", mayBeEmpty: true), repeatable: true,
      help: "Only transactions of this author; an empty name means untagged"),
    OptionSpecification(
      "not-author", .text("NAME", mayBeEmpty: true), repeatable: true,
      help: "No transactions of this author; an empty name means untagged"),
  ]
}
