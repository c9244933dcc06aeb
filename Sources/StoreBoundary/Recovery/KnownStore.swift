import EventLoop
import HistoryModel
import HistoryStore
import SQLite

/// What can still be learnt of a store that may be damaged, without changing anything of it.
struct KnownStore {
  /// Whose store it is; nil where that cannot be told, or was never settled.
  private(set) var identity: StoreIdentifier?
  /// The epoch of its history; nil where it has none, or cannot be read.
  private(set) var epoch: UInt32?
  /// Whether there are tables in it.
  private(set) var hasTables = false

  /// Looks at a database.
  ///
  /// - Parameters:
  ///   - path: Its path; there need not be anything.
  ///   - busyTimeout: How long to wait for other processes' locks, in milliseconds.
  /// - Throws: `SQLiteError` when it is locked: of what will be readable in a moment it would be
  ///   wrong to say that nothing is known.
  init(_ path: String, busyTimeout: Int32 = 5000) throws(SQLiteError) {
    guard DatabaseFile(path: path)?.kind == .file else { return }
    guard
      let connection = try Self.unlessLocked({ () throws(SQLiteError) in
        try Connection(path: path, access: .readOnly)
      })
    else { return }
    connection.setBusyTimeout(milliseconds: busyTimeout)
    let tables = try Self.unlessLocked {
      try connection.row("SELECT count(*) FROM sqlite_schema WHERE type = 'table'")
    }
    hasTables = (tables??[0].integer ?? 0) > 0
    identity = try Self.unlessLocked { try BoundaryTable(connection).identity() } ?? nil
    epoch = try Self.unlessLocked { try StoreEpochs(connection).current() } ?? nil
    try? connection.close()
  }

  /// What can be read; nil where damage keeps it from being read.
  private static func unlessLocked<T>(_ body: () throws -> T) throws(SQLiteError) -> T? {
    do {
      return try body()
    } catch let error as SQLiteError where error.code.primary == .busy {
      throw error
    } catch {
      return nil
    }
  }

  /// Looks at a store, and where it cannot be read at what was left beside it.
  ///
  /// - Parameter files: The store's files.
  /// - Throws: `SQLiteError` when it is locked.
  init(_ files: StoreNeighbours) throws(SQLiteError) {
    try self.init(files.database)
    if identity == nil { identity = (try? ReadinessMarker.read(files))?.store }
  }

  /// Whether a backup may take this one's place.
  ///
  /// - Parameter other: Whose store the backup is.
  /// - Returns: False when it is of another store; where nothing is known of this one, true.
  func mayBeReplaced(by other: StoreIdentifier?) -> Bool {
    if let identity { return identity == other }
    return !hasTables || other == nil
  }

  /// The latest epoch in which positions of a store may have been handed out here.
  ///
  /// - Parameters:
  ///   - files: The store's files.
  ///   - store: The store's identity.
  /// - Returns: The latest that can be read, here or in what was moved aside before, and one more for
  ///   each that cannot.
  /// - Throws: `SQLiteError` when one is locked.
  static func latestEpoch(
    _ files: StoreNeighbours, of store: StoreIdentifier?
  ) throws(SQLiteError) -> UInt32 {
    let present = DatabaseFile(path: files.database) == nil ? [] : [files.database]
    var stores: [KnownStore] = []
    for path in present + SetAside.earlier(files) { stores.append(try KnownStore(path)) }
    let readable = stores.filter { $0.identity == store }.compactMap(\.epoch).max() ?? 0
    // What cannot be read any more may have taken the place of one that can, in a new epoch each time.
    return readable + UInt32(stores.count { $0.epoch == nil })
  }
}
