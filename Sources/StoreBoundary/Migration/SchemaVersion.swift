import HistoryModel

/// One version of a store's schema, and the way to it from the one before.
///
/// It stands for SwiftData's `VersionedSchema` together with its `MigrationStage`.
public struct SchemaVersion: Sendable {
  /// The version's number, from 1: what `PRAGMA user_version` says of a store that has it.
  public let number: Int
  /// A word or two for people: the stage's name.
  public let name: String
  /// What makes a store of the version before one of this version.
  public let stage: MigrationStage

  /// Makes a version.
  ///
  /// - Parameters:
  ///   - number: Its number.
  ///   - name: A name for people.
  ///   - stage: The way to it.
  public init(_ number: Int, _ name: String, _ stage: MigrationStage) {
    self.number = number
    self.name = name
    self.stage = stage
  }

  /// What tells whether the stage is still the one that was applied.
  var checksum: Int64 {
    var fingerprint = Fingerprint()
    for part in stage.parts {
      fingerprint.combine(UInt64(part.utf8.count))
      fingerprint.combine(part.utf8)
    }
    return Int64(bitPattern: fingerprint.value)
  }

  /// What people read: `0002 lists`.
  var title: String {
    let digits = "\(number)"
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits + " " + name
  }
}
