/// Something whose states a ``StateExplorer`` visits: a state machine together with all that is
/// around it.
///
/// What is around it does what the machine asks for, as its driver would; lets time pass; and
/// remembers what the machine must not forget. Two states that are equal have the same future, so
/// nothing may be remembered that grows without need.
public protocol ExploredSystem: Hashable {
  /// Something that may happen.
  associatedtype Input

  /// What may happen in this state.
  var inputs: [Input] { get }

  /// Lets something happen.
  ///
  /// - Parameter input: One of ``inputs``.
  /// - Throws: What was promised and does not hold.
  mutating func take(_ input: Input) throws(BrokenPromise)

  /// Looks at a state by itself, where all that must hold in each can be asked: also what becomes
  /// of it if nothing happens any more.
  ///
  /// - Throws: What was promised and does not hold.
  func check() throws(BrokenPromise)
}

/// Something that was promised and does not hold.
public struct BrokenPromise: Error, CustomStringConvertible {
  /// What does not hold, as a sentence.
  public let description: String

  /// Makes one.
  ///
  /// - Parameter description: What does not hold.
  public init(_ description: String) { self.description = description }

  /// Asks that something holds.
  ///
  /// - Parameters:
  ///   - holds: Whether it does.
  ///   - description: What is wrong if not.
  /// - Throws: The promise that is broken if it does not.
  public static func unless(
    _ holds: Bool, _ description: @autoclosure () -> String
  ) throws(BrokenPromise) {
    if !holds { throw BrokenPromise(description()) }
  }
}
