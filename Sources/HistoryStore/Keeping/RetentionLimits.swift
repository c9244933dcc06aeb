/// How long, and how much of it, a history is kept without anybody asking.
///
/// What a consumer has not read yet stays, unless it has not moved for ``Consumers/longestHold``.
public struct RetentionLimits: Sendable, Hashable {
  /// How old a transaction may be; nil for as old as it likes.
  public var age: Duration?
  /// How many bytes the values of the history may have; nil for as many as they like.
  ///
  /// One transaction more than that may be kept, so that a large one can be read at all.
  public var bytes: Int64?

  /// Sets limits.
  ///
  /// - Parameters:
  ///   - age: How old a transaction may be; nil for as old as it likes.
  ///   - bytes: How many bytes the history may have; nil for as many as it likes.
  public init(age: Duration?, bytes: Int64?) {
    self.age = age
    self.bytes = bytes
  }

  /// Seven days and 256 MB.
  public static let standard = RetentionLimits(age: .seconds(7 * 86_400), bytes: 256 << 20)
}
