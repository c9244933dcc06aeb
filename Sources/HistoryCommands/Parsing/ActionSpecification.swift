/// What a command with several faces does: the second word of `consumer create`.
struct ActionSpecification: Sendable {
  /// The word that selects it.
  let name: String
  /// One line, without a full stop, that starts with a verb.
  let summary: String
  /// What it acts on, in order.
  let operands: [OperandSpecification]
  /// The options that only this action has.
  var options: [OptionSpecification] = []
}
