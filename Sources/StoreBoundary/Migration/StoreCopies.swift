import EventLoop
import HistoryModel
import SQLite

/// The copies of a store that are made before it is changed, beside it.
///
/// `app.db.before-0002-20261130T204500123Z.copy` is the store as it was before version 2 was applied,
/// whole and in one file.
struct StoreCopies {
  let neighbours: StoreNeighbours

  private static let ending = ".copy"
  private var prefix: String { neighbours.name + ".before-" }

  /// Where a copy is made: a path at which there is nothing.
  ///
  /// - Parameters:
  ///   - version: The first version that is about to be applied.
  ///   - time: Now.
  /// - Returns: The path.
  func path(before version: SchemaVersion, at time: CalendarTime) -> String {
    let number = version.title.prefix { $0 != " " }
    var time = time
    while true {
      var stamp: [UInt8] = []
      time.append(to: &stamp)
      let digits = String(decoding: stamp, as: UTF8.self).filter { !"-:.".contains($0) }
      let path = "\(neighbours.directory)/\(prefix)\(number)-\(digits)\(Self.ending)"
      guard FileNames.isTaken(path) else { return path }
      time = CalendarTime(milliseconds: time.milliseconds + 1)
    }
  }

  /// Copies a store, and proves that the copy is whole.
  ///
  /// The file gets its name last. A copy that fails leaves nothing behind.
  ///
  /// - Parameters:
  ///   - connection: A connection to the store, in a read transaction with a write-ahead log, so
  ///     that others may write meanwhile.
  ///   - path: Where to.
  ///   - mustStop: Whether to stop.
  ///   - progress: Told how many pages are left, and of how many.
  /// - Throws: ``/HistoryModel/HistoryError`` when the copy cannot be made or the store is damaged, and
  ///   ``SQLiteError``.
  static func copy(
    _ connection: Connection, to path: String, stopping mustStop: @escaping () -> Bool,
    progress: (_ remaining: Int, _ total: Int) -> Void
  ) throws {
    let unfinished = path + ".unfinished"
    do throws(DurableFile.Failure) {
      // Left by a crash: it is of no use, and only this owner makes any.
      try FileNames.remove(unfinished)
      try FileNames.create(unfinished, like: connection.path)
    } catch {
      throw HistoryError.copyNotMade(path, error)
    }
    do {
      let copy = try Connection(path: unfinished)
      try Backup.copy(
        from: connection, into: copy, pagesPerStep: 1024, stopping: mustStop, progress: progress)
      try copy.close()
      // For writing, since one that only reads leaves the files of a write-ahead log behind.
      let proof = try Connection(path: unfinished)
      try proof.stopping(when: mustStop) {
        try StoreProof.checkIntegrity(proof, of: connection.path)
      }
      try proof.close()
    } catch {
      for end in ["", "-wal", "-shm", "-journal"] { try? FileNames.remove(unfinished + end) }
      throw error
    }
    do throws(DurableFile.Failure) {
      try FileNames.rename(unfinished, to: path)
    } catch {
      throw HistoryError.copyNotMade(path, error)
    }
  }

  /// The copies that are there, the oldest first.
  func all() -> [String] {
    // What cannot be listed cannot be too many.
    let names = (try? FileNames.list(neighbours.directory)) ?? []
    return names.filter { $0.hasPrefix(prefix) && $0.hasSuffix(Self.ending) }
      .sorted { Self.stamp(of: $0) < Self.stamp(of: $1) }
      .map { neighbours.directory + "/" + $0 }
  }

  /// Removes the oldest copies.
  ///
  /// - Parameter count: How many stay.
  /// - Returns: The paths of those that were removed.
  func prune(keeping count: Int) -> [String] {
    all().dropLast(max(1, count)).filter { (try? FileNames.remove($0)) != nil }
  }

  private static func stamp(of name: String) -> Substring {
    name.dropLast(ending.count).suffix(19)
  }
}
