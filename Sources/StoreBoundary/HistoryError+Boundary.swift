import EventLoop
import HistoryModel
import HistoryStore
import SQLite

/// What to do about a store that its owner has not finished with.
private func openTheApp(_ path: String) -> String {
  "open the app once to finish updating, or run: historywatch migrate \(path) --plan DIRECTORY"
}

/// Every sentence that this module can say when a store cannot be opened.
extension HistoryError {
  static func noStore(_ path: String) -> HistoryError {
    let neighbours = StoreNeighbours(of: path)
    if SetAside.isUnderWay(neighbours) { return .halfReplaced(path) }
    // The app would refuse to make it anew.
    if FileNames.isTaken(neighbours.marker) { return .markerWithoutStore(neighbours) }
    return unavailable(
      .missing, "there is no database at \(path)",
      hint: "open the app once, which makes it; nothing was created and no other place was tried")
  }

  /// An owner who was told not to make a store found none.
  static func noStoreToMigrate(_ path: String) -> HistoryError {
    let neighbours = StoreNeighbours(of: path)
    if SetAside.isUnderWay(neighbours) { return .halfReplaced(path) }
    if FileNames.isTaken(neighbours.marker) { return .markerWithoutStore(neighbours) }
    return unavailable(
      .missing, "there is no database at \(path)",
      hint: "check the path; a new store is made with --create, and only then")
  }

  static func notAStore(_ path: String) -> HistoryError {
    unavailable(
      .notADatabase, "\(path) is not a regular file", hint: "name the database file itself")
  }

  static func directoryUnusable(_ path: String, _ failure: DurableFile.Failure) -> HistoryError {
    unavailable(
      failure.isMissing ? .missing : failure.isDiskFull ? .diskFull : .permissions,
      "the directory \(path) cannot be used: \(failure)",
      hint: "make it, or give this user the right to write there; no other place was tried",
      cause: failure)
  }

  static func leftover(_ path: String) -> HistoryError {
    unavailable(
      .corrupt, "there is no database beside \(path), which belongs to one",
      hint: "put the database back, or move that file away; nothing was created")
  }

  static func markerWithoutStore(_ neighbours: StoreNeighbours) -> HistoryError {
    unavailable(
      .missing, "\(neighbours.database) is gone, and its marker is still there",
      hint: "put the store back, or recover it; to begin anew remove \(neighbours.marker)")
  }

  static func clientOnlyReads(_ path: String) -> HistoryError {
    unavailable(
      .permissions, "\(path) was opened for reading only",
      hint: "open it with access: .readWrite to write")
  }

  /// What SQLite said of a client's SQL.
  init(reading error: SQLiteError, at path: String) {
    switch error.code.primary {
    // What is refused while SQLite sets up the schema of temporary tables is a SCHEMA error.
    case .auth, .readOnly, .schema:
      self.init(
        .statementFailed, "the SQL does something else than read",
        hint: "write with a StoreWriter, so that it is known who wrote", cause: error)
    case .error, .mismatch, .range, .tooBig, .misuse:
      self.init(.statementFailed, error.message, hint: "correct the SQL", cause: error)
    default: self.init(error, at: path)
    }
  }

  static func neverReady(_ path: String) -> HistoryError {
    unavailable(.notReady, "nothing says that \(path) is ready", hint: openTheApp(path))
  }

  static func beingMigrated(_ path: String, _ holder: String?) -> HistoryError {
    unavailable(
      .migrating, "\(path) is being prepared by \(holder ?? "its owner")",
      hint: "try again when that has finished")
  }

  static func olderSchema(_ path: String, _ found: Int, _ wanted: Int) -> HistoryError {
    unavailable(
      .olderSchema, "\(path) has schema \(found), and \(wanted) is needed", hint: openTheApp(path))
  }

  static func newerSchema(_ path: String, _ found: Int, _ wanted: Int) -> HistoryError {
    unavailable(
      .newerSchema, "\(path) has schema \(found), which is newer than \(wanted)",
      hint: "update this program; a store is never taken back to an older schema")
  }

  static func markerOfAnotherStore(_ path: String) -> HistoryError {
    unavailable(
      .foreign, "what says that \(path) is ready says so of another store",
      hint: openTheApp(path))
  }

  static func tablesChanged(_ path: String) -> HistoryError {
    unavailable(
      .changedSchema, "the tables of \(path) are not those that its owner left",
      hint: openTheApp(path))
  }

  static func markerDamaged(_ neighbours: StoreNeighbours) -> HistoryError {
    unavailable(
      .notReady, "the marker \(neighbours.marker) cannot be understood",
      hint: openTheApp(neighbours.database))
  }

  static func markerNotRead(_ path: String, _ failure: DurableFile.Failure) -> HistoryError {
    unavailable(
      .permissions, "the marker \(path) cannot be read: \(failure)",
      hint: "check its permissions", cause: failure)
  }

  static func markerNotChanged(_ path: String, _ failure: DurableFile.Failure) -> HistoryError {
    unavailable(
      failure.isDiskFull ? .diskFull : .permissions,
      "the marker \(path) cannot be changed: \(failure)",
      hint: "make room, and check the permissions of the directory", cause: failure)
  }

  static func ownerIsThere(_ path: String, _ holder: String?) -> HistoryError {
    unavailable(
      .locked, "\(path) has an owner already: \(holder ?? "another process")",
      hint: "let that one finish; only one process at a time may own a store")
  }

  static func lockNotMade(_ path: String, _ number: CInt) -> HistoryError {
    let failure = DurableFile.Failure(operation: "opening", number: number)
    return unavailable(
      failure.isDiskFull ? .diskFull : .permissions,
      "the lock file \(path) cannot be used: \(failure)",
      hint: "make room, and check the permissions of the directory", cause: failure)
  }
}

/// Every sentence about a plan or a migration.
extension HistoryError {
  static func versionOutOfRange(_ title: String) -> HistoryError {
    HistoryError(
      .usage, "\(title): a version's number lies between 1 and \(MigrationPlan.greatestNumber)",
      hint: "number the versions 1, 2, 3, …")
  }

  static func versionTwice(_ number: Int) -> HistoryError {
    HistoryError(
      .usage, "two versions of the plan have the number \(number)",
      hint: "give the newer one the next number")
  }

  static func statementForbidden(_ title: String, _ keyword: String, line: Int) -> HistoryError {
    HistoryError(
      .usage, "\(title), line \(line): a stage may not \(keyword): it is one transaction",
      hint: "leave it out; begin and end come by themselves, and savepoints are fine")
  }

  static func scriptHasNUL(_ title: String) -> HistoryError {
    HistoryError(
      .usage, "\(title) contains a NUL, behind which SQLite would see nothing",
      hint: "take it out of the file")
  }

  static func planNotRead(_ path: String, _ failure: DurableFile.Failure) -> HistoryError {
    HistoryError(
      .usage, "the plan \(path) cannot be read: \(failure)",
      hint: "name a directory of files called 0001_name.sql, 0002_name.sql, …", cause: failure)
  }

  static func planEmpty(_ path: String) -> HistoryError {
    HistoryError(
      .usage, "there is no version in \(path)",
      hint: "name a directory of files called 0001_name.sql, 0002_name.sql, …")
  }

  static func planFileUnnumbered(_ name: String) -> HistoryError {
    HistoryError(
      .usage, "\(name) does not say which version it is",
      hint: "call it 0001_name.sql, or give it another ending than .sql")
  }

  static func planFileNotText(_ name: String) -> HistoryError {
    HistoryError(.usage, "\(name) is not a text of UTF-8, or too long", hint: "nothing was changed")
  }

  static func newerThanPlan(_ path: String, _ found: Int, _ latest: Int) -> HistoryError {
    unavailable(
      .newerSchema, "\(path) has schema \(found), and the plan ends at \(latest)",
      hint: "update this program, or name the plan that made it; a store is never taken back")
  }

  static func versionUnknown(_ path: String, _ version: Int) -> HistoryError {
    unavailable(
      .changedSchema, "\(path) has version \(version), which the plan does not know",
      hint: "nothing was changed; use the plan that made the store")
  }

  static func versionsDisagree(_ path: String, _ recorded: Int, _ found: Int) -> HistoryError {
    unavailable(
      .changedSchema,
      "\(path) says it has version \(found), and version \(recorded) was applied last",
      hint: "nothing was changed; find out who sets PRAGMA user_version")
  }

  static func stageChanged(_ title: String) -> HistoryError {
    unavailable(
      .changedSchema, "\(title) was changed after it was applied",
      hint: "nothing was changed; put it back as it was, and make a new version for what is new")
  }

  static func stageTooLate(_ title: String, _ current: Int) -> HistoryError {
    unavailable(
      .changedSchema, "\(title) was added below version \(current), which is applied already",
      hint: "nothing was changed; give it the next number")
  }

  static func storeDamaged(_ path: String) -> HistoryError {
    unavailable(
      .corrupt, "\(path) is damaged: integrity_check found faults",
      hint: "the file was left as it is; see them with: historywatch diagnose \(path) --output -")
  }

  static func foreignKeysBroken(_ tables: [(key: String, value: Int)]) -> HistoryError {
    let list = tables.prefix(5).map { "\($0.value) of \($0.key)" }.joined(separator: ", ")
    return HistoryError(
      .statementFailed, "rows refer to rows that are not there: \(list)",
      hint: "mend them in the stage; see them with: PRAGMA foreign_key_check")
  }

  static func copyNotMade(_ path: String, _ failure: DurableFile.Failure) -> HistoryError {
    unavailable(
      failure.isDiskFull ? .diskFull : .permissions,
      "the copy \(path) cannot be made: \(failure)",
      hint: "nothing was changed; make room, and check the permissions of the directory",
      cause: failure)
  }

  static func copyUnfinished(_ path: String) -> HistoryError {
    unavailable(
      .inputOutput, "the copy \(path) could not be brought into one file",
      hint: "nothing was changed; check the disk and try again")
  }

  static func sideBySideNeedsWAL(_ path: String) -> HistoryError {
    HistoryError(
      .usage, "\(path) has no write-ahead log, so that nobody can tell who else has it open",
      hint: "migrate it in place, or run PRAGMA journal_mode = WAL before")
  }

  static func openElsewhere(_ path: String, _ cause: (any Error)?) -> HistoryError {
    unavailable(
      .locked, "\(path) is open elsewhere, and cannot be replaced",
      hint: "nothing was changed; let the others close it, or migrate it in place", cause: cause)
  }

  static var transactionEnded: HistoryError {
    HistoryError(
      .statementFailed, "the stage ended the transaction that it is a part of",
      hint: "leave out ROLLBACK and OR ROLLBACK")
  }

  static var batchWithoutKey: HistoryError {
    HistoryError(
      .usage, "the first column of a query for batches does not tell its rows apart by an integer",
      hint: "begin the query with an integer key, such as: SELECT id, …")
  }

  static func migrationStopped(_ path: String) -> HistoryError {
    HistoryError(
      .temporary, "the migration of \(path) was stopped", hint: "run it again to go on")
  }

  /// A migration that failed after it began to change the store, in a version's stage or after.
  static func migrationFailed(
    _ cause: HistoryError, in title: String?, last: String, copy: String?
  ) -> HistoryError {
    let stage = title.flatMap { cause.message.hasPrefix($0) ? nil : "\($0): " } ?? ""
    let hints = [cause.hint, copy.map { "a copy from before is at \($0)" }].compactMap { $0 }
    let error = HistoryError(
      cause.code, "\(stage)\(cause.message); the store is \(last), and not ready",
      hint: hints.isEmpty ? nil : hints.joined(separator: "; "), cause: cause)
    return cause.unavailableReason.map { error.because(of: $0) } ?? error
  }

  /// What SQLite said of a stage's SQL.
  init(stage error: SQLiteError, at path: String) {
    switch error.code.primary {
    case .auth:
      self.init(
        .statementFailed, "a stage's SQL reaches out of its transaction or into the history",
        hint: "leave out COMMIT, ATTACH, VACUUM and everything called _history_", cause: error)
    case .error, .constraint, .misuse, .mismatch, .range, .tooBig, .abort, .schema:
      self.init(
        .statementFailed, error.message, hint: "correct the stage and run it again", cause: error)
    case .interrupt: self = .migrationStopped(path)
    default: self.init(error, at: path)
    }
  }
}
