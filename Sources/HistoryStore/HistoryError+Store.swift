public import HistoryModel
package import SQLite

/// Every sentence that this module can say when something fails.
extension HistoryError {
  static func noDatabase(_ path: String) -> HistoryError {
    HistoryError.unavailable(
      .missing, "there is no database at \(path)",
      hint: "check the path; historywatch never creates a database, but where --create is given")
  }

  static func directory(_ path: String) -> HistoryError {
    HistoryError(
      .storeUnavailable, "\(path) is a directory", hint: "name the database file inside it")
  }

  static func notARegularFile(_ path: String) -> HistoryError {
    HistoryError(
      .storeUnavailable, "\(path) is not a regular file", hint: "name the database file itself")
  }

  static func notTracked(_ path: String) -> HistoryError {
    HistoryError(
      .notTracked, "\(path) is not tracked", hint: "begin with: historywatch track \(path)")
  }

  static func historyDamaged(_ what: String) -> HistoryError {
    HistoryError(
      .notTracked, "the history is damaged: \(what)",
      hint: "begin anew with: historywatch untrack DB --drop-history, then: historywatch track DB")
  }

  static func unknownLayout(_ version: Int64?) -> HistoryError {
    HistoryError(
      .unknownLayout,
      "the history has layout \(version.map { "\($0)" } ?? "without a number"), "
        + "and this program knows layout \(Layout.version)",
      hint: "use the historywatch that wrote it, or a newer one")
  }

  static func rowIDIsHidden(table: String) -> HistoryError {
    HistoryError(
      .untrackable,
      "\(table) cannot be tracked: it has no primary key, and columns hide its rowid",
      hint: "give it a primary key, or leave it out with --except \(table)")
  }

  static func noSuchTable(_ table: String) -> HistoryError {
    HistoryError(
      .untrackable, "there is no table \(table)", hint: "nothing was tracked; check the name")
  }

  static func notATable(_ table: String, _ kind: String) -> HistoryError {
    HistoryError(
      .untrackable, "\(table) is \(kind), which cannot be tracked",
      hint: "nothing was tracked; name ordinary tables only")
  }

  static func uncapturable(_ table: String, _ error: SQLiteError) -> HistoryError {
    HistoryError(
      .untrackable, "\(table) cannot be captured: \(error.message)",
      hint: "nothing was tracked; leave it out with --except \(table), and please report it",
      cause: error)
  }

  static func tooWide(_ table: String, limit: Int) -> HistoryError {
    HistoryError(
      .untrackable, "\(table) has more than \(limit) columns, which cannot be captured",
      hint: "track it with --capture keys, or leave it out with --except")
  }

  static func notCaptured(_ table: String) -> HistoryError {
    HistoryError(
      .untrackable, "\(table) is not tracked", hint: "see what is with: historywatch status")
  }

  static func nothingToTrack(_ path: String) -> HistoryError {
    HistoryError(
      .storeUnavailable, "\(path) has no table that can be tracked",
      hint: "create the tables first")
  }

  /// A position of another store.
  ///
  /// - Parameter token: The position.
  /// - Returns: An error with code `foreignToken`.
  public static func foreign(_ token: HistoryToken) -> HistoryError {
    HistoryError(
      .foreignToken, "the position belongs to another store, \(token.storeIdentifier)",
      hint: "use a position that this store gave, or oldest, or now")
  }

  static func otherSchema(_ path: String, _ found: Int64, _ wanted: Int64) -> HistoryError {
    unavailable(
      found > wanted ? .newerSchema : .olderSchema,
      "\(path) has schema \(found), and \(wanted) is needed",
      hint: "nothing was changed; open it again with a program that was made for it")
  }

  static func otherStore(_ path: String) -> HistoryError {
    HistoryError(
      .storeUnavailable, "another store was moved over \(path)",
      hint: "nothing was changed; open it again to write to that one")
  }

  static func movedAway(_ path: String) -> HistoryError {
    HistoryError(
      .temporary, "\(path) was moved away or replaced while it was written to",
      hint: "nothing was changed; try again")
  }

  static var emptyAuthor: HistoryError {
    HistoryError(
      .usage, "the author is empty", hint: "name who writes, such as app, widget or importer")
  }

  static func noSuchConsumer(_ name: String) -> HistoryError {
    HistoryError(
      .noSuchConsumer, "there is no consumer called \(name)",
      hint: "see them with: historywatch consumer list; make it with: consumer create")
  }

  static func consumerExists(_ name: String) -> HistoryError {
    HistoryError(
      .usage, "there is a consumer called \(name) already",
      hint: "move it with: historywatch consumer acknowledge")
  }
}

extension HistoryError {
  /// Whether it goes by itself or by what others do, so that a reader who follows waits: another
  /// process has the store locked, or what a crashed writer left has yet to be undone.
  package var passesByItself: Bool {
    guard let code = (cause as? SQLiteError)?.code else { return false }
    return code.primary == .busy || code.primary == .locked || code == .readOnlyRollback
  }
}

/// Whether there was no room: the index of a write-ahead log is a file that can only fail to grow
/// for want of it, and SQLite calls that an error of input and output.
private func isDiskFull(_ code: ResultCode) -> Bool {
  code.primary == .full || code == .ioErrorSharedMemorySize
}

extension HistoryError {
  /// What SQLite reported, as what it means to somebody who opened, read or wrote a store.
  ///
  /// - Parameters:
  ///   - error: What SQLite reported.
  ///   - path: The database's path.
  package init(_ error: SQLiteError, at path: String) {
    self = Self.sentence(of: error, at: path)
    if let reason = UnavailableReason(error.code) { self = because(of: reason) }
  }

  private static func sentence(of error: SQLiteError, at path: String) -> HistoryError {
    switch error.code.primary {
    case .busy, .locked:
      HistoryError(
        .temporary, "\(path) is locked by another process",
        hint: "try again once its transaction has ended", cause: error)
    case .notADatabase:
      HistoryError(
        .storeUnavailable, "\(path) is not a database, or is encrypted",
        hint: "the file was left as it is", cause: error)
    case .corrupt:
      HistoryError(
        .storeUnavailable, "\(path) is damaged: \(error.message)",
        hint: "the file was left as it is; copy it before trying to recover it", cause: error)
    case .cantOpen where DatabaseFile.isKept(from: path):
      HistoryError(
        .storeUnavailable, "this user may not read \(path)",
        hint: "check the permissions of the file", cause: error)
    case .cantOpen:
      HistoryError(
        .storeUnavailable, "\(path) cannot be opened: \(error.message)",
        hint: "check the permissions of the file and its directory; WAL needs -shm to be writable",
        cause: error)
    case .readOnly where error.code == .readOnlyRollback:
      HistoryError(
        .temporary, "a writer of \(path) crashed, and what it left unfinished must be undone first",
        hint: "open it with a program that may write to it, such as sqlite3, and read from it",
        cause: error)
    case .readOnly where error.code == .readOnlyDirectory || error.code == .readOnlyCantInitialize:
      HistoryError(
        .storeUnavailable, "SQLite cannot make the files that it needs beside \(path)",
        hint: "let this user write to the directory, or read a copy; "
          + "a write-ahead log needs them even for reading", cause: error)
    case .readOnly:
      HistoryError(
        .storeUnavailable, "\(path) is read-only",
        hint: "check the permissions of the file and its directory", cause: error)
    case _ where isDiskFull(error.code):
      HistoryError(
        .temporary, "the disk is full", hint: "nothing was changed; make room and try again",
        cause: error)
    case .ioError:
      HistoryError(
        .temporary, "reading or writing \(path) failed: \(error.message)",
        hint: "check the disk and try again", cause: error)
    case .error
    where error.message.hasPrefix("no such table: ") && error.message.contains("_history_"):
      HistoryError(
        .notTracked, "a part of the history is missing: \(error.message)",
        hint: "see what is missing with: historywatch check; mend it with --repair", cause: error)
    case .noMemory:
      HistoryError(
        .temporary, "there is not enough memory for \(path)",
        hint: "nothing was changed; raise the limit of memory, or try again when more is free",
        cause: error)
    case .lockProtocol:
      HistoryError(
        .temporary, "\(path) was locked by others too often in a row",
        hint: "try again; if it goes on, see which programs have it open", cause: error)
    case .interrupt:
      HistoryError(
        .temporary, "it was stopped before it had ended",
        hint: "nothing was changed; try again", cause: error)
    default:
      HistoryError(
        .temporary, "SQLite failed at \(path): \(error.message)",
        hint: "try again; if it goes on, look for what is wrong with: historywatch check",
        cause: error)
    }
  }

  /// Runs something on a database and says in the words of a history what failed.
  ///
  /// - Parameters:
  ///   - path: The database's path.
  ///   - body: What to run.
  /// - Returns: What the body returned.
  /// - Throws: What the body threw, translated.
  package static func translating<T>(at path: String, _ body: () throws -> T) throws(HistoryError)
    -> T
  {
    do {
      return try body()
    } catch let error as HistoryError {
      throw error
    } catch let error as SQLiteError {
      throw HistoryError(error, at: path)
    } catch {
      throw HistoryError(unforeseen: error)
    }
  }

  /// What no layer has given a sentence of its own, as what somebody can do about it.
  ///
  /// - Parameter error: The failure.
  package init(unforeseen error: any Error) {
    self.init(
      .temporary, "\(error)", hint: "try again; if it goes on, please report it", cause: error)
  }
}

extension UnavailableReason {
  /// What a code of SQLite's says of a store that was to be opened; nil when nothing in particular.
  fileprivate init?(_ code: ResultCode) {
    switch code.primary {
    case .busy, .locked: self = .locked
    case .notADatabase: self = .notADatabase
    case .corrupt: self = .corrupt
    case .readOnly where code == .readOnlyRollback: self = .locked
    case .cantOpen, .readOnly, .permission: self = .permissions
    case _ where isDiskFull(code): self = .diskFull
    case .ioError: self = .inputOutput
    default: return nil
    }
  }
}
