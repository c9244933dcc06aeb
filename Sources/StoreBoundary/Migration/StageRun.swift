import HistoryModel
import HistoryStore
import SQLite

/// One stage of a plan on one store: a transaction that leaves it at the next version, or as it was.
struct StageRun {
  let version: SchemaVersion
  let path: String
  let author: String
  let tell: (MigrationEvent) -> Void

  /// Does the stage.
  ///
  /// - Parameters:
  ///   - previous: The version that the store must have.
  ///   - plan: The plan that the stage is of.
  ///   - connection: A connection without a transaction.
  ///   - limits: The authorizer's rule for what stages may do.
  /// - Returns: What readers of the history were told.
  /// - Throws: ``/HistoryModel/HistoryError``, and ``SQLiteError`` where SQLite failed; nothing has changed then.
  func run(
    after previous: Int, of plan: MigrationPlan, on connection: Connection, _ limits: BodyLimits
  ) throws -> [CaptureNotice] {
    tell(.began(version: version.number, name: version.name))
    return try connection.transaction(.immediate) {
      let applied = try AppliedVersions(connection)
      // Only another owner could have, who broke the lock.
      guard applied.current == previous else {
        throw HistoryError.versionsDisagree(path, previous, applied.current)
      }
      let boundary = BoundaryTable(connection)
      try StoreSeal.prepare(boundary)
      try applied.adopt(plan, in: connection)
      let capture = try MigratingCapture(connection, author: author, context: version.title)
      try steps(StageSQL(connection, capture, limits))
      guard connection.isInTransaction else { throw HistoryError.transactionEnded }
      try capture?.finish()
      try StoreProof.checkForeignKeys(connection)
      try AppliedVersions.keep(version, in: connection)
      try StoreSeal.keep(connection)
      tell(.committing(version: version.number))
      return capture?.notices ?? []
    }
  }

  private func steps(_ sql: StageSQL) throws {
    let context = MigrationContext(sql) { done, total in
      tell(.advanced(version: version.number, done: done, total: total))
    }
    defer { context.end() }
    try version.stage.willMigrate?(context)
    if let script = version.stage.sql { try sql.execute(script) }
    try version.stage.didMigrate?(context)
  }
}
