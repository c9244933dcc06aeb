public import HistoryModel

/// All versions of a store's schema, in order: what its owner is given, and nobody else.
///
/// It stands for SwiftData's `SchemaMigrationPlan`.
public struct MigrationPlan: Sendable {
  /// The greatest number that `PRAGMA user_version` can keep.
  static let greatestNumber = Int(Int32.max)

  /// The versions, the lowest first.
  public let versions: [SchemaVersion]
  /// The number of the last version; 0 when there is none.
  public var latest: Int { versions.last?.number ?? 0 }

  /// Makes a plan.
  ///
  /// - Parameter versions: The versions, in any order. Numbers may be left out.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `usage` when two have one number, a number is too small or
  ///   too great, or SQL would end the transaction that it is a part of.
  public init(_ versions: [SchemaVersion]) throws(HistoryError) {
    self.versions = versions.sorted { $0.number < $1.number }
    for (place, version) in self.versions.enumerated() {
      guard (1...Self.greatestNumber).contains(version.number) else {
        throw .versionOutOfRange(version.title)
      }
      if place > 0, self.versions[place - 1].number == version.number {
        throw .versionTwice(version.number)
      }
      if let sql = version.stage.sql {
        if let statement = try MigrationScript.forbidden(in: sql, of: version) {
          throw .statementForbidden(version.title, statement.keyword, line: statement.line)
        }
      }
    }
  }

  /// A version by its number.
  subscript(number: Int) -> SchemaVersion? { versions.first { $0.number == number } }
}
