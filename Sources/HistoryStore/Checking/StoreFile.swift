import EventLoop
import HistoryModel
import SQLite

/// Which file a store is, for whoever wants to see whether it is the one that he means.
public struct StoreFile: Sendable, Hashable {
  /// Its path, without symbolic links.
  public let path: String
  /// The device that it is on.
  public let device: UInt64
  /// Its number on the device.
  public let inode: UInt64
  /// Its size in bytes.
  public let size: Int64
  /// The size of its write-ahead log in bytes; nil when there is none.
  public let logSize: Int64?
  /// How transactions are made safe, in SQLite's word.
  public let journalMode: String

  /// Looks at the file that a store has open.
  init(_ store: TrackedStore) throws(HistoryError) {
    path = FileNames.resolved(store.path)
    device = store.file.device
    inode = store.file.inode
    size = DatabaseFile(path: path)?.size ?? store.file.size
    logSize = DatabaseFile(path: path + "-wal")?.size
    journalMode = try HistoryError.translating(at: store.path) {
      let statement = try store.prepared(.journalMode)
      defer { statement.reset() }
      return try statement.step() ? statement.text(at: 0) ?? "" : ""
    }
  }

  /// The file as JSON.
  var json: JSONValue {
    [
      "path": .string(path), "device": .integer(Int64(bitPattern: device)),
      "inode": .integer(Int64(bitPattern: inode)), "size": .integer(size),
      "logSize": logSize.map { .integer($0) } ?? .null, "journalMode": .string(journalMode),
    ]
  }
}
