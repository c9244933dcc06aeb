/// How a plan is carried out.
public struct MigrationOptions: Sendable {
  /// The name of the program, in the marker and the lock.
  public var writer: String
  /// Who changes rows, in the history.
  public var author = "migrate"
  /// Where the stages are applied.
  public var mode = Mode.inPlace
  /// Whether a store is made where there is none.
  public var createsStore = true
  /// How many copies of earlier versions are kept, at least one.
  public var copiesKept = 3
  /// How long to wait for other processes' locks, in milliseconds.
  public var busyTimeout: Int32 = 5000

  /// Where stages are applied.
  public enum Mode: Sendable {
    /// In the store itself, one transaction for each stage. Others may have it open.
    case inPlace
    /// In a new file, which takes the store's place once it was verified; the old file is the copy.
    /// Nobody else may have the store open meanwhile, and it must have a write-ahead log.
    case sideBySide
  }

  /// Makes options.
  ///
  /// - Parameter writer: The name of the program.
  public init(writer: String) { self.writer = writer }
}
