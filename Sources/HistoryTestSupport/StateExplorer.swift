/// Visits every state that a system can come into within so many steps, the nearest first.
///
/// Random tests find what is likely, examples what somebody thought of; this finds all there is,
/// as far as it goes. What it finds it tells by the shortest way there.
///
/// ```swift
/// let visit = try StateExplorer(depth: 8).explore(Turnstile())
/// #expect(visit.states >= 4)
/// ```
public struct StateExplorer: Sendable {
  /// What was visited.
  public struct Visit: Sendable, Equatable {
    /// How many different states.
    public var states = 1
    /// How many steps from one state to another or to itself.
    public var steps = 0
    /// How many steps away from the start the farthest state is.
    public var depth = 0
    /// Whether there are no other states, however many steps one takes.
    public var isComplete = false
  }

  /// The shortest way to a state or a step in which a promise is broken.
  public struct Counterexample: Error, CustomStringConvertible {
    /// What happens on the way, in words.
    public let path: [String]
    /// What does not hold at its end.
    public let promise: BrokenPromise

    /// The way and its end.
    public var description: String {
      "\(promise) After: \(path.isEmpty ? "nothing" : path.joined(separator: ", "))"
    }
  }

  private let depth: Int

  /// Makes an explorer.
  ///
  /// - Parameter depth: How many steps to go; as far as there is anything if not given.
  public init(depth: Int = .max) { self.depth = depth }

  /// Visits all states.
  ///
  /// - Parameter start: The first.
  /// - Returns: What was visited.
  /// - Throws: ``Counterexample`` of the fewest steps, if a promise is broken.
  /// - Complexity: O(*n*) for *n* steps; all states are kept.
  public func explore<System: ExploredSystem>(_ start: System) throws -> Visit {
    var visit = Visit()
    var ways = [Way<System.Input>()]
    var known: Set<System> = [start]
    var frontier = [(state: start, way: 0)]
    try Self.attempt(ways, 0) { () throws(BrokenPromise) in try start.check() }
    while !frontier.isEmpty, visit.depth < depth {
      var next: [(state: System, way: Int)] = []
      for (state, way) in frontier {
        for input in state.inputs {
          visit.steps += 1
          var reached = state
          ways.append(Way(from: way, input: input))
          try Self.attempt(ways, ways.count - 1) { () throws(BrokenPromise) in
            try reached.take(input)
            if !known.contains(reached) { try reached.check() }
          }
          guard known.insert(reached).inserted else {
            ways.removeLast()
            continue
          }
          next.append((reached, ways.count - 1))
        }
      }
      frontier = next
      if !next.isEmpty { visit.depth += 1 }
    }
    visit.states = known.count
    visit.isComplete = frontier.isEmpty
    return visit
  }

  /// How a state was first reached.
  private struct Way<Input> {
    var from = 0
    var input: Input?
  }

  private static func attempt<Input>(
    _ ways: [Way<Input>], _ place: Int, _ body: () throws(BrokenPromise) -> Void
  ) throws(Counterexample) {
    do throws(BrokenPromise) {
      try body()
    } catch {
      var path: [String] = []
      var way = ways[place]
      while let input = way.input {
        path.append("\(input)")
        way = ways[way.from]
      }
      throw Counterexample(path: path.reversed(), promise: error)
    }
  }
}
