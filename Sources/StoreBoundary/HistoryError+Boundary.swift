import EventLoop
import HistoryModel

/// What to do about a store that its owner has not finished with.
private let openTheApp = "open the app once to finish updating, or run: historywatch migrate"

/// Every sentence that this module can say when a store cannot be opened.
extension HistoryError {
  static func noStore(_ path: String) -> HistoryError {
    unavailable(
      .missing, "there is no database at \(path)",
      hint: "open the app once, which makes it; nothing was created and no other place was tried")
  }

  static func neverReady(_ path: String) -> HistoryError {
    unavailable(.notReady, "\(path) is not ready: its owner has not finished it", hint: openTheApp)
  }

  static func beingMigrated(_ path: String, _ holder: String?) -> HistoryError {
    unavailable(
      .migrating, "\(path) is being prepared by \(holder ?? "its owner")",
      hint: "try again when that has finished")
  }

  static func olderSchema(_ path: String, _ found: Int, _ wanted: Int) -> HistoryError {
    unavailable(
      .olderSchema, "\(path) has schema \(found), and \(wanted) is needed", hint: openTheApp)
  }

  static func newerSchema(_ path: String, _ found: Int, _ wanted: Int) -> HistoryError {
    unavailable(
      .newerSchema, "\(path) has schema \(found), which is newer than \(wanted)",
      hint: "update this program; a store is never taken back to an older schema")
  }

  static func markerOfAnotherStore(_ path: String) -> HistoryError {
    unavailable(
      .foreign, "what says that \(path) is ready says so of another store", hint: openTheApp)
  }

  static func tablesChanged(_ path: String) -> HistoryError {
    unavailable(
      .changedSchema, "the tables of \(path) are not those that its owner left",
      hint: openTheApp)
  }

  static func markerDamaged(_ path: String) -> HistoryError {
    unavailable(.notReady, "the marker \(path) cannot be understood", hint: openTheApp)
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
