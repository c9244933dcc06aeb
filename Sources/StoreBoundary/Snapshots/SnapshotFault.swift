/// Why a snapshot file cannot be used, for a program that has to say so to a person.
///
/// Its raw value is its name where it is written down. New faults may be added.
public struct SnapshotFault: Error, RawRepresentable, Hashable, Sendable,
  CustomStringConvertible
{
  /// The fault's name.
  public let rawValue: String

  /// Reads a fault's name; also one that is not known here.
  ///
  /// - Parameter rawValue: The name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The fault's name.
  public var description: String { rawValue }

  /// There is no such file: nothing was ever written.
  public static let missing = SnapshotFault(rawValue: "missing")
  /// The file is there, and the system refuses to read it.
  public static let unreadable = SnapshotFault(rawValue: "unreadable")
  /// The file is larger than is accepted.
  public static let tooLarge = SnapshotFault(rawValue: "too-large")
  /// The file is no snapshot, or not a whole one.
  public static let damaged = SnapshotFault(rawValue: "damaged")
  /// The file was written in a format that is not known here.
  public static let otherFormat = SnapshotFault(rawValue: "other-format")
  /// The payload is of another version.
  public static let otherSchema = SnapshotFault(rawValue: "other-schema")
  /// The payload is of the right version, and yet not what is expected.
  public static let otherPayload = SnapshotFault(rawValue: "other-payload")
}
