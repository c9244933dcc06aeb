import EventLoop
import HistoryModel

/// Moves what stands at a store's path to another name beside it, all of it together.
///
/// The database goes first: a crash in between then leaves files without a database, which nobody
/// takes for one, and never a database without its log. A note says under which name they are to
/// be found together, so that the next attempt finishes the move.
struct SetAside {
  /// The parts of a database in the order in which they are moved.
  private static let parts = StoreCopy.parts
  private let files: StoreNeighbours
  /// The new name of the database; its other files are named after it.
  let target: String

  private static func note(_ files: StoreNeighbours) -> DurableFile {
    DurableFile(path: files.database + "-replacing")
  }

  private static func prefix(_ files: StoreNeighbours) -> String { files.name + ".replaced-" }

  /// Finds a name that is free.
  ///
  /// - Parameters:
  ///   - files: The store's files.
  ///   - now: The time, which becomes part of the name.
  init(_ files: StoreNeighbours, now: CalendarTime) {
    self.files = files
    var time = now
    while Self.parts.contains(where: { FileNames.isTaken(Self.target(files, time) + $0) }) {
      time = CalendarTime(milliseconds: time.milliseconds + 1)
    }
    target = Self.target(files, time)
  }

  private init(_ files: StoreNeighbours, target: String) {
    self.files = files
    self.target = target
  }

  /// The name for a moment, as in `app.db.replaced-20261130T062231123Z`.
  private static func target(_ files: StoreNeighbours, _ time: CalendarTime) -> String {
    var bytes: [UInt8] = []
    time.append(to: &bytes)
    let digits = bytes.filter { !"-:.".utf8.contains($0) }
    return "\(files.directory)/\(prefix(files))\(String(decoding: digits, as: UTF8.self))"
  }

  /// Whether there is anything at the store's path to move.
  var isNeeded: Bool { Self.parts.contains { FileNames.isTaken(files.database + $0) } }

  /// Moves everything.
  ///
  /// - Parameter moved: Told after each file, with what its name ends with, and with nil once it is
  ///   written down where they go.
  /// - Throws: `HistoryError` when one cannot be moved, and what `moved` throws.
  func move(_ moved: (String?) throws -> Void) throws {
    try HistoryError.naming(files.database) { () throws(DurableFile.Failure) in
      try Self.note(files).replace(with: Array(target.utf8))
    }
    try moved(nil)
    for part in Self.parts where FileNames.isTaken(files.database + part) {
      try HistoryError.naming(files.database + part) { () throws(DurableFile.Failure) in
        try FileNames.rename(files.database + part, to: target + part)
      }
      try moved(part)
    }
  }

  /// The move is over: something else stands at the path, or is about to.
  func finish() throws(HistoryError) { try Self.forget(files) }

  private static func forget(_ files: StoreNeighbours) throws(HistoryError) {
    try HistoryError.naming(files.database) { () throws(DurableFile.Failure) in
      try FileNames.remove(note(files).path)
    }
  }

  /// Whether a move has begun and what is to take the store's place is not there yet.
  static func isUnderWay(_ files: StoreNeighbours) -> Bool { FileNames.isTaken(note(files).path) }

  /// Finishes a move that a crash ended half-way.
  ///
  /// - Parameter files: The store's files.
  /// - Throws: `HistoryError` when a file cannot be moved.
  static func finishInterrupted(_ files: StoreNeighbours) throws {
    guard
      let bytes = try HistoryError.naming(
        files.database,
        { () throws(DurableFile.Failure) in try note(files).read(limit: 4096) })
    else { return }
    let target = String(decoding: bytes, as: UTF8.self)
    // With a database at the path either nothing was moved yet, or the new one is in place.
    if target.hasPrefix("\(files.directory)/\(prefix(files))"),
      !FileNames.isTaken(files.database), FileNames.isTaken(target),
      !parts.dropFirst().contains(where: {
        FileNames.isTaken(files.database + $0) && FileNames.isTaken(target + $0)
      })
    {
      try SetAside(files, target: target).move { _ in }
    }
    try forget(files)
  }

  /// The databases that were moved aside before.
  ///
  /// - Parameter files: The store's files.
  /// - Returns: Their paths.
  static func earlier(_ files: StoreNeighbours) -> [String] {
    let names = (try? FileNames.list(files.directory)) ?? []
    return names.filter { name in
      name.hasPrefix(prefix(files)) && !parts.dropFirst().contains { name.hasSuffix($0) }
    }.map { "\(files.directory)/\($0)" }
  }
}
