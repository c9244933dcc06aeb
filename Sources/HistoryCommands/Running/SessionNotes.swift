/// What a session has to say to a person, until it is written.
///
/// When nobody reads it only the first of it is kept.
struct SessionNotes: Sendable {
  private static let limit = 100

  private var texts: [String] = []

  /// Whether there is nothing to say.
  var isEmpty: Bool { texts.isEmpty }

  /// Adds a note.
  mutating func add(_ text: String) {
    if texts.count < Self.limit { texts.append(text) }
  }

  /// Takes the next note out.
  mutating func next() -> String? { texts.isEmpty ? nil : texts.removeFirst() }
}
