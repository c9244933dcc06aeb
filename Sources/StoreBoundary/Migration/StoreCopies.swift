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
  private static let unfinishedEnding = ".unfinished"
  /// What SQLite puts behind the name of a database for its files.
  private static let fileEndings = ["", "-wal", "-shm", "-journal"]
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
    let unfinished = path + Self.unfinishedEnding
    do throws(DurableFile.Failure) {
      // Left by a crash: it is of no use, and only this owner makes any. A log left without its file
      // would be taken for a part of the new one.
      for end in Self.fileEndings { try FileNames.remove(unfinished + end) }
      try FileNames.create(unfinished, like: connection.path)
    } catch {
      throw HistoryError.copyNotMade(path, error)
    }
    do {
      let copy = try Connection(path: unfinished)
      try Backup.copy(
        from: connection, into: copy, pagesPerStep: 1024, stopping: mustStop, progress: progress)
      try StoreCopy.keepCookie(of: connection, in: copy)
      try copy.close()
      // For writing, since one that only reads leaves the files of a write-ahead log behind.
      let proof = try Connection(path: unfinished)
      try proof.stopping(when: mustStop) {
        try StoreProof.checkIntegrity(proof, of: connection.path)
      }
      try proof.close()
      // Closing says nothing of a log that could not be moved into the file or deleted.
      for end in ["-wal", "-journal"] where FileNames.isTaken(unfinished + end) {
        throw HistoryError.copyUnfinished(path)
      }
      // Nor of the memory that was shared, which is of no use to anybody without the log.
      try? FileNames.remove(unfinished + "-shm")
    } catch {
      for end in Self.fileEndings { try? FileNames.remove(unfinished + end) }
      throw error
    }
    do throws(DurableFile.Failure) {
      try FileNames.rename(unfinished, to: path)
    } catch {
      throw HistoryError.copyNotMade(path, error)
    }
  }

  /// Removes what a crash left that is no copy; only the store's owner makes any.
  ///
  /// That is what was not whole yet, and a second name of the store itself, which stands in for a copy
  /// for the moment between two steps of a swap.
  func removeLeftovers() {
    let store = DatabaseFile(path: neighbours.database)
    for name in names {
      let path = neighbours.directory + "/" + name
      let isUnfinished = Self.fileEndings.contains { end in
        let end = Self.unfinishedEnding + end
        return name.hasSuffix(end) && copy(String(name.dropLast(end.count))) != nil
      }
      if isUnfinished || copy(name) != nil && DatabaseFile(path: path) == store {
        try? FileNames.remove(path)
      }
    }
  }

  /// Removes copies that are too many: first what a later copy was made of at the same version, as
  /// happens when a stage fails again and again, then the oldest.
  ///
  /// - Parameters:
  ///   - count: How many stay.
  ///   - made: The one that was just made, which always stays.
  /// - Returns: The paths of those that were removed.
  func prune(keeping count: Int, besides made: String) -> [String] {
    let all = names.compactMap(copy).sorted { $0.time < $1.time }
    let others = all.indices.filter { all[$0].path != made }
    let (repeated, single) = others.reduce(into: ([Copy](), [Copy]())) { lists, place in
      let copy = all[place]
      if all[(place + 1)...].contains(where: { $0.version == copy.version }) {
        lists.0.append(copy)
      } else {
        lists.1.append(copy)
      }
    }
    return (repeated + single).prefix(max(0, others.count - max(1, count) + 1)).map(\.path)
      .filter { (try? FileNames.remove($0)) != nil }
  }

  /// A copy, by its name.
  private struct Copy {
    let path: String
    let version: Int
    let time: Substring
  }

  // What cannot be listed cannot be too many.
  private var names: [String] { (try? FileNames.list(neighbours.directory)) ?? [] }

  /// The copy that has a name; nil where it is the name of something else.
  private func copy(_ name: String) -> Copy? {
    guard name.hasPrefix(prefix), name.hasSuffix(Self.ending) else { return nil }
    let parts = name.dropFirst(prefix.count).dropLast(Self.ending.count)
      .split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let version = Int(parts[0]), parts[1].utf8.count == 19,
      parts[1].utf8.enumerated().allSatisfy({ place, byte in
        switch place {
        case 8: byte == UInt8(ascii: "T")
        case 18: byte == UInt8(ascii: "Z")
        default: (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
      })
    else { return nil }
    return Copy(
      path: neighbours.directory + "/" + name, version: version, time: parts[1])
  }
}
