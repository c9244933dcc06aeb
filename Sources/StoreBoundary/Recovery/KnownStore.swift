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
  /// - Parameter path: Its path; there need not be anything.
  init(_ path: String) {
    guard DatabaseFile(path: path)?.kind == .file,
      let connection = try? Connection(path: path, access: .readOnly)
    else { return }
    let tables = try? connection.row("SELECT count(*) FROM sqlite_schema WHERE type = 'table'")
    hasTables = (tables?[0].integer ?? 0) > 0
    identity = try? BoundaryTable(connection).identity()
    epoch = try? StoreEpochs(connection).current()
    try? connection.close()
  }

  /// Looks at a store, and where it cannot be read at what was left beside it.
  ///
  /// - Parameter files: The store's files.
  init(_ files: StoreNeighbours) {
    self.init(files.database)
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
  static func latestEpoch(_ files: StoreNeighbours, of store: StoreIdentifier?) -> UInt32 {
    let present = DatabaseFile(path: files.database) == nil ? [] : [files.database]
    let stores = (present + SetAside.earlier(files)).map { KnownStore($0) }
    let readable = stores.filter { $0.identity == store }.compactMap(\.epoch).max() ?? 0
    // What cannot be read any more may have taken the place of one that can, in a new epoch each time.
    return readable + UInt32(stores.count { $0.epoch == nil })
  }
}
