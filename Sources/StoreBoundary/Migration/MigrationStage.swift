/// The way from one version of a schema to the next, done in one transaction.
public struct MigrationStage: Sendable {
  /// What a stage's code gets to work with.
  public typealias Step = @Sendable (MigrationContext) throws -> Void

  /// SQL to run, between the steps of code; nil for none.
  let sql: String?
  /// A name for the stage's code, which cannot be compared itself.
  let identifier: String?
  let willMigrate: Step?
  let didMigrate: Step?

  /// A stage of SQL alone.
  ///
  /// - Parameter sql: Any number of statements. None may end the transaction.
  /// - Returns: The stage.
  public static func lightweight(_ sql: String) -> MigrationStage {
    MigrationStage(sql: sql, identifier: nil, willMigrate: nil, didMigrate: nil)
  }

  /// A stage with code before and after its SQL, as SwiftData has it.
  ///
  /// Both steps and the SQL are one transaction; `willMigrate` sees the old tables, `didMigrate`
  /// the new ones.
  ///
  /// - Parameters:
  ///   - identifier: A name for the code; to change it says that the code is another.
  ///   - sql: SQL to run between the steps; nil for none.
  ///   - willMigrate: Runs first; nil for nothing.
  ///   - didMigrate: Runs last; nil for nothing.
  /// - Returns: The stage.
  public static func custom(
    _ identifier: String, sql: String? = nil, willMigrate: Step? = nil, didMigrate: Step? = nil
  ) -> MigrationStage {
    MigrationStage(
      sql: sql, identifier: identifier, willMigrate: willMigrate, didMigrate: didMigrate)
  }

  /// What a checksum is made of.
  var parts: [String] { [sql, identifier].compactMap { $0 } }
}
