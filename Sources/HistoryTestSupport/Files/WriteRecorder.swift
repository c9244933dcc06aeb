private import EventLoop
private import Synchronization

/// What SQLite did to the files of a directory, in order, from which ``PowerCut`` makes what a cut
/// leaves.
package final class WriteRecorder: Sendable {
  /// One thing that was done to a file.
  enum Event: Sendable {
    case wrote(path: String, offset: Int, bytes: [UInt8])
    case truncated(path: String, size: Int)
    case synced(path: String)
    case deleted(path: String, lasts: Bool)
  }

  /// The files as they were on the disk at the beginning, without memory that SQLite shares.
  let beginning: [String: [UInt8]]
  /// The databases whose files count; what is renamed is not followed.
  private let databases: [String]
  /// Files that are not SQLite's, which whoever writes them makes last at once.
  private let others: [String]

  private struct State {
    var events: [Event] = []
    /// For each event what the other files were just before it.
    var others: [[[UInt8]?]] = []
  }

  private let state = Mutex(State())
  private let directory: WatchedDirectory

  /// Begins to record what is done in a directory.
  ///
  /// - Parameters:
  ///   - directory: The directory; what is in it now is taken to be on the disk.
  ///   - databases: The paths of the databases that count.
  ///   - others: The paths of files beside the database that are made last whenever they change.
  /// - Throws: What reading the files throws.
  package init(
    _ directory: WatchedDirectory, databases: [String], others: [String] = []
  ) throws {
    self.directory = directory
    self.databases = databases
    self.others = others
    var files: [String: [UInt8]] = [:]
    for name in try FileNames.list(directory.path)
    where Self.counts("\(directory.path)/\(name)", databases) {
      let path = "\(directory.path)/\(name)"
      files[path] = try DurableFile(path: path).read(limit: .max)
    }
    beginning = files
    directory.record(with: self)
  }

  /// Stops to record.
  ///
  /// - Returns: What can be cut, at each moment of it.
  package func finish() -> PowerCut {
    directory.record(with: nil)
    let (events, states) = state.withLock { ($0.events, $0.others + [contentOfOthers()]) }
    return PowerCut(
      directory: directory.path, beginning: beginning, events: events,
      others: states.map { Array(zip(others, $0)) })
  }

  private func contentOfOthers() -> [[UInt8]?] {
    others.map { (try? DurableFile(path: $0).read(limit: 1 << 20)) ?? nil }
  }

  private static func counts(_ path: String, _ databases: [String]) -> Bool {
    ["", "-wal", "-journal"].contains { end in databases.contains { path == $0 + end } }
  }

  func note(_ call: FileCall) {
    guard Self.counts(call.path, databases) else { return }
    let event: Event
    switch call.kind {
    case .write:
      event = .wrote(path: call.path, offset: Int(call.offset), bytes: Array(call.bytes))
    case .truncate: event = .truncated(path: call.path, size: Int(call.offset))
    case .sync: event = .synced(path: call.path)
    case .delete: event = .deleted(path: call.path, lasts: call.syncsDirectory)
    default: return
    }
    let others = contentOfOthers()
    state.withLock {
      $0.events.append(event)
      $0.others.append(others)
    }
  }
}
