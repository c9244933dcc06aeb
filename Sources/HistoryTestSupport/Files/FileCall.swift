/// Kinds of calls by which SQLite uses files.
public struct FileCalls: OptionSet, Sendable, Hashable {
  /// One bit for each kind.
  public let rawValue: Int

  /// Makes a set of its bits.
  ///
  /// - Parameter rawValue: One bit for each kind.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Opening a file, or making it.
  public static let open = FileCalls(rawValue: 1)
  /// Reading bytes.
  public static let read = FileCalls(rawValue: 2)
  /// Writing bytes.
  public static let write = FileCalls(rawValue: 4)
  /// Waiting until what was written is on the disk.
  public static let sync = FileCalls(rawValue: 8)
  /// Cutting a file to a size.
  public static let truncate = FileCalls(rawValue: 16)
  /// Deleting a file.
  public static let delete = FileCalls(rawValue: 32)
  /// Taking a lock of the database file, of whatever kind; giving one back never fails.
  public static let lock = FileCalls(rawValue: 64)
  /// Mapping a piece of the index of a write-ahead log.
  public static let sharedMap = FileCalls(rawValue: 128)
  /// Taking a lock of the index of a write-ahead log.
  public static let sharedLock = FileCalls(rawValue: 256)

  /// Every call that changes a file or says that changes are on the disk.
  public static let changing: FileCalls = [.open, .write, .sync, .truncate, .delete]
  /// Every call that takes a lock.
  public static let locking: FileCalls = [.lock, .sharedLock]
  /// All of them.
  public static let all: FileCalls = [.changing, .locking, .read, .sharedMap]
}

/// One call, before it is made.
struct FileCall {
  let kind: FileCalls
  let path: String
  /// Where bytes are written, or the size to cut to.
  var offset: Int64 = 0
  /// The bytes to write; good during the call only.
  var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
  /// Whether the directory is synced too, which makes a deletion last.
  var syncsDirectory = false
}

/// What becomes of a call.
enum FileVerdict {
  /// It is made.
  case passes
  /// It is not made, and gives this code.
  case fails(Int32)
  /// Only so many of the bytes are written, and it gives this code.
  case breaksOff(after: Int, Int32)
}
