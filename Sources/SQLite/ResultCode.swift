private import CSQLite

/// A result of a call of SQLite, with its detail.
///
/// Named after the constants of C, in Swift's spelling; ``name`` gives the original. Codes that
/// are unknown here survive. The meanings are those of <https://www.sqlite.org/rescode.html>.
public struct ResultCode: RawRepresentable, Hashable, Sendable {
  /// The number: the primary code in the low eight bits, the detail above.
  public let rawValue: Int32

  /// Makes a code of its number.
  ///
  /// - Parameter rawValue: The number, with or without detail.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// The code without its detail: `.busy` for `.busySnapshot`.
  public var primary: ResultCode { ResultCode(rawValue: rawValue & 0xFF) }

  /// Whether the same call may succeed later without anything else being done.
  ///
  /// Not so for a transaction that read before it wrote (`.busySnapshot`): it must begin anew.
  package var isTransient: Bool {
    self != .busySnapshot && (primary == .busy || primary == .locked)
  }
}

extension ResultCode {
  /// The call succeeded.
  public static let ok = ResultCode(rawValue: SQLITE_OK)
  /// The SQL is wrong, or something failed that has no code of its own.
  public static let error = ResultCode(rawValue: SQLITE_ERROR)
  /// SQLite found a fault in itself.
  public static let internalFault = ResultCode(rawValue: SQLITE_INTERNAL)
  /// The access mode asked for could not be given to a new file.
  public static let permission = ResultCode(rawValue: SQLITE_PERM)
  /// The operation was aborted, for instance by a rollback elsewhere.
  public static let abort = ResultCode(rawValue: SQLITE_ABORT)
  /// Another connection holds a lock that is needed.
  public static let busy = ResultCode(rawValue: SQLITE_BUSY)
  /// A lock is held within the same connection.
  public static let locked = ResultCode(rawValue: SQLITE_LOCKED)
  /// Memory ran out.
  public static let noMemory = ResultCode(rawValue: SQLITE_NOMEM)
  /// The database, or this connection to it, may only be read.
  public static let readOnly = ResultCode(rawValue: SQLITE_READONLY)
  /// The operation was interrupted by a call.
  public static let interrupt = ResultCode(rawValue: SQLITE_INTERRUPT)
  /// The operating system reported an error of reading or writing.
  public static let ioError = ResultCode(rawValue: SQLITE_IOERR)
  /// The file is damaged.
  public static let corrupt = ResultCode(rawValue: SQLITE_CORRUPT)
  /// A file control is unknown to the file system layer in use.
  public static let notFound = ResultCode(rawValue: SQLITE_NOTFOUND)
  /// The disk, or the largest possible database, is full.
  public static let full = ResultCode(rawValue: SQLITE_FULL)
  /// The file cannot be opened; perhaps it does not exist.
  public static let cantOpen = ResultCode(rawValue: SQLITE_CANTOPEN)
  /// Locking of a write-ahead log failed too often in a row.
  public static let lockProtocol = ResultCode(rawValue: SQLITE_PROTOCOL)
  /// The schema changed more often than a statement could be prepared anew.
  public static let schema = ResultCode(rawValue: SQLITE_SCHEMA)
  /// A text or blob is longer than SQLite keeps.
  public static let tooBig = ResultCode(rawValue: SQLITE_TOOBIG)
  /// A constraint was violated.
  public static let constraint = ResultCode(rawValue: SQLITE_CONSTRAINT)
  /// A value has a storage class that does not fit, such as a text for a rowid.
  public static let mismatch = ResultCode(rawValue: SQLITE_MISMATCH)
  /// The interface was used in a way it must not be.
  public static let misuse = ResultCode(rawValue: SQLITE_MISUSE)
  /// An authorizer denied the action.
  public static let auth = ResultCode(rawValue: SQLITE_AUTH)
  /// There is no parameter with that index.
  public static let range = ResultCode(rawValue: SQLITE_RANGE)
  /// The file is no SQLite database, or it is encrypted.
  public static let notADatabase = ResultCode(rawValue: SQLITE_NOTADB)
  /// A step has another row.
  public static let row = ResultCode(rawValue: SQLITE_ROW)
  /// A step has come to the end.
  public static let done = ResultCode(rawValue: SQLITE_DONE)
}
