/// Names, each once, in the order in which they first came, and not more than a limit.
///
/// Adding a name takes the same time however many there are.
package struct NameList<Name: Hashable & Sendable>: Sendable, Hashable {
  /// The names.
  package private(set) var names: [Name] = []
  private var known: Set<Name> = []
  private let limit: Int

  /// Makes an empty list.
  ///
  /// - Parameter limit: How many names it holds at most; what comes later is left out.
  package init(limit: Int) { self.limit = limit }

  /// Adds a name, unless it is there or the list is full.
  ///
  /// - Parameter name: The name.
  package mutating func add(_ name: Name) {
    guard names.count < limit, known.insert(name).inserted else { return }
    names.append(name)
  }

  /// Takes all names out.
  package mutating func removeAll() {
    names.removeAll(keepingCapacity: true)
    known.removeAll(keepingCapacity: true)
  }
}
