/// How a plan is carried out.
public struct MigrationOptions: Sendable {
  /// The name of the program, in the marker and the lock.
  public var writer: String
  /// Who changes rows, in the history.
  public var author = "migrate"
  /// Whether a store is made where there is none.
  public var createsStore = true
  /// How many copies of earlier versions are kept, at least one.
  public var copiesKept = 3
  /// How long to wait for other processes' locks, in milliseconds.
  public var busyTimeout: Int32 = 5000

  /// Makes options.
  ///
  /// - Parameter writer: The name of the program.
  public init(writer: String) { self.writer = writer }
}
