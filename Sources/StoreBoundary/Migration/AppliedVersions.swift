import HistoryModel
import HistoryStore
import SQLite

/// Which versions of a plan a store has, by its own word.
///
/// `PRAGMA user_version` is the number of the last; `_history_migration` has a checksum of each, so
/// that a stage which was changed after it was applied is noticed.
struct AppliedVersions {
  /// The version that the store has; 0 before any.
  let current: Int
  /// The checksums of what was applied; nil where the store keeps none.
  let checksums: [Int: Int64]?

  /// Reads them, inside a transaction of the caller's.
  init(_ connection: Connection) throws {
    current = Int(try connection.row("PRAGMA user_version")?[0].integer ?? 0)
    guard try BoundaryTable(connection).exists else {
      checksums = nil
      return
    }
    let rows = try connection.rows("SELECT version, checksum FROM _history_migration")
    checksums = Dictionary(
      rows.map { (Int($0[0].integer ?? 0), $0[1].integer ?? 0) }, uniquingKeysWith: { $1 })
  }

  /// What is still to be applied, in order.
  ///
  /// A store with a version and without checksums was made by its application's own means. It is
  /// taken up where its version says, if the plan knows that one.
  ///
  /// - Throws: ``/HistoryModel/HistoryError`` with reason `newerSchema` for a store that is further than the plan,
  ///   `changedSchema` where plan and store do not tell the same story.
  func pending(of plan: MigrationPlan, _ path: String) throws(HistoryError) -> [SchemaVersion] {
    guard current <= plan.latest else { throw .newerThanPlan(path, current, plan.latest) }
    guard current >= 0, current == 0 || plan[current] != nil else {
      throw .versionUnknown(path, current)
    }
    if let checksums {
      guard (checksums.keys.max() ?? 0) == current else {
        throw .versionsDisagree(path, checksums.keys.max() ?? 0, current)
      }
      for version in checksums.keys.sorted() {
        guard let stage = plan[version] else { throw .versionUnknown(path, version) }
        guard checksums[version] == stage.checksum else { throw .stageChanged(stage.title) }
      }
      for stage in plan.versions where stage.number < current && checksums[stage.number] == nil {
        throw .stageTooLate(stage.title, current)
      }
    }
    return plan.versions.filter { $0.number > current }
  }

  /// Keeps that a version was applied, and makes it the store's version.
  static func keep(_ version: SchemaVersion, in connection: Connection) throws {
    try keepRecord(of: version, in: connection)
    // A pragma takes no parameter.
    try connection.execute("PRAGMA user_version = \(version.number)")
  }

  /// Keeps the checksums of a store that was taken up with a version of its own.
  func adopt(_ plan: MigrationPlan, in connection: Connection) throws {
    guard checksums == nil else { return }
    for version in plan.versions where version.number <= current {
      try Self.keepRecord(of: version, in: connection)
    }
  }

  private static func keepRecord(
    of version: SchemaVersion, in connection: Connection
  ) throws {
    try connection.run(
      """
      INSERT INTO _history_migration(version, name, checksum, at)
      VALUES(?, ?, ?, julianday('now'))
      """, .integer(Int64(version.number)), .text(version.name), .integer(version.checksum))
  }
}
