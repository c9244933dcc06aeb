import EventLoop
import HistoryModel

/// Every sentence that recovering and adopting a store can say when it fails.
extension HistoryError {
  static func backupMissing(_ path: String) -> HistoryError {
    unavailable(
      .missing, "there is no backup at \(path)", hint: "check the path; nothing was changed")
  }

  static func notAFile(_ path: String) -> HistoryError {
    unavailable(
      .notADatabase, "\(path) is not a regular file", hint: "name a file; nothing was changed")
  }

  static func backupIsTheStore(_ path: String) -> HistoryError {
    HistoryError(
      .usage, "the backup is \(path) itself", hint: "name another file; nothing was changed")
  }

  static func backupDamaged(_ path: String, _ what: String) -> HistoryError {
    unavailable(
      .corrupt, "\(path) is damaged: \(what)", hint: "take an older backup; nothing was changed")
  }

  static func backupOfAnotherStore(_ backup: String, _ path: String) -> HistoryError {
    unavailable(
      .foreign, "\(backup) is a backup of another store than \(path)",
      hint: "name a backup of this one, or allow any with --any-store; nothing was changed")
  }

  static func copyDiffers(_ path: String) -> HistoryError {
    unavailable(
      .inputOutput, "the copy of \(path) does not have the same rows",
      hint: "check the disk and try again; nothing was changed")
  }

  static func stillOpen(_ path: String) -> HistoryError {
    unavailable(
      .locked, "\(path) is in use by another process",
      hint: "stop the programs that have it open, observers too, and try again; "
        + "nothing was changed")
  }

  static func filesInTheWay(_ path: String) -> HistoryError {
    unavailable(
      .locked, "\(path) would be taken for a part of the new file",
      hint: "stop the programs that use the store and try again; everything was kept beside it")
  }

  static func halfReplaced(_ path: String) -> HistoryError {
    unavailable(
      .missing, "\(path) was being replaced from a backup, which did not come to its end",
      hint: "do it again with: historywatch recover \(path) --from BACKUP; nothing was lost")
  }

  static func outputIsTheStore(_ path: String) -> HistoryError {
    HistoryError(
      .usage, "\(path) is a file of the store", hint: "name another one; nothing was changed")
  }

  static func placeTaken(_ path: String) -> HistoryError {
    HistoryError(
      .usage, "there is something at \(path) already",
      hint: "a store is adopted only where there is none; nothing was changed")
  }

  static func fileNotChanged(_ path: String, _ failure: DurableFile.Failure) -> HistoryError {
    unavailable(
      failure.isDiskFull ? .diskFull : .permissions, "\(path) cannot be changed: \(failure)",
      hint: "make room, and check the permissions of the directory", cause: failure)
  }
}

extension HistoryError {
  /// Does something with files and says in the words of a store what failed.
  ///
  /// - Parameters:
  ///   - path: What it is about.
  ///   - body: What to do.
  /// - Returns: What the body returned.
  /// - Throws: `HistoryError` with reason `diskFull` or `permissions`.
  static func naming<T>(
    _ path: String, _ body: () throws(DurableFile.Failure) -> T
  ) throws(HistoryError) -> T {
    do throws(DurableFile.Failure) {
      return try body()
    } catch {
      throw .fileNotChanged(path, error)
    }
  }
}
