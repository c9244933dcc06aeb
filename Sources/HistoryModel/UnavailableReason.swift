/// Why a store cannot be opened, for a program that has to say so to a person.
///
/// Its raw value is its name where it is written down. New reasons may be added.
public struct UnavailableReason: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The reason's name.
  public let rawValue: String

  /// Reads a reason's name; also one that is not known here.
  ///
  /// - Parameter rawValue: The name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The reason's name.
  public var description: String { rawValue }

  /// There is no database at the path.
  public static let missing = UnavailableReason(rawValue: "missing")
  /// What is there is no database, or is encrypted.
  public static let notADatabase = UnavailableReason(rawValue: "not-a-database")
  /// Another process has it locked.
  public static let locked = UnavailableReason(rawValue: "locked")
  /// The file is damaged.
  public static let corrupt = UnavailableReason(rawValue: "corrupt")
  /// The disk is full.
  public static let diskFull = UnavailableReason(rawValue: "disk-full")
  /// This user may not read it, or not write to it.
  public static let permissions = UnavailableReason(rawValue: "permissions")
  /// Reading or writing failed.
  public static let inputOutput = UnavailableReason(rawValue: "input-output")
  /// Nothing says that its owner has finished preparing it.
  public static let notReady = UnavailableReason(rawValue: "not-ready")
  /// Its owner is migrating it at this moment.
  public static let migrating = UnavailableReason(rawValue: "migrating")
  /// Its schema is older than what is asked for.
  public static let olderSchema = UnavailableReason(rawValue: "older-schema")
  /// Its schema is newer than what is asked for.
  public static let newerSchema = UnavailableReason(rawValue: "newer-schema")
  /// What says that it is ready says so of another store.
  public static let foreign = UnavailableReason(rawValue: "foreign")
  /// Its tables are not those that its owner left.
  public static let changedSchema = UnavailableReason(rawValue: "changed-schema")

  /// Whether trying again later may help, without anybody doing anything.
  public var mayPass: Bool { [.locked, .diskFull, .inputOutput, .migrating].contains(self) }
}
