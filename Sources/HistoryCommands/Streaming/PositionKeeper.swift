import EventLoop
import HistoryModel
import HistoryStore
import SQLite

/// Where a stream's position is kept between runs.
protocol PositionKeeper {
  /// How long what was read may stay unsaved.
  var delay: Duration { get }
  /// The position to go on from, if one was kept.
  func position() throws(HistoryError) -> HistoryToken?
  /// Keeps a position.
  ///
  /// - Returns: False when it was not kept, and the stream goes on: others are writing, or what it
  ///   reads is not what it was, which it finds out by itself.
  func save(_ token: HistoryToken) throws(HistoryError) -> Bool
  /// What is said where the position is of another store than the one that is read.
  func ofAnotherStore(_ error: HistoryError) -> HistoryError
  /// Keeps a position at the end, when it may be waited for.
  func saveAtEnd(_ token: HistoryToken) throws(HistoryError)
}

extension PositionKeeper {
  func ofAnotherStore(_ error: HistoryError) -> HistoryError { error }
}

/// Keeps a position in a file that is replaced whole.
final class CursorFile: PositionKeeper {
  let delay = Duration.milliseconds(100)
  private let file: DurableFile
  private let lock: FileLock

  /// Locks the file against a second user.
  init(path: String) throws(HistoryError) {
    // Before a lock is left beside it.
    try HistoryError.refuseDirectory(path, for: "--cursor-file")
    file = DurableFile(path: path)
    do throws(FileLock.Refusal) {
      lock = try FileLock(path: path + ".lock")
    } catch {
      switch error {
      case .taken:
        throw HistoryError(
          .temporary, "the cursor file \(path) is in use by another process",
          hint: "give each stream a cursor file of its own")
      case .failed(let number):
        throw HistoryError(
          .temporary,
          "the cursor file \(path) cannot be locked: \(DurableFile.Failure(operation: "opening", number: number))",
          hint: "check that its directory exists and can be written to")
      }
    }
  }

  func position() throws(HistoryError) -> HistoryToken? {
    let content: [UInt8]?
    do throws(DurableFile.Failure) {
      content = try file.read(limit: 4096)
    } catch {
      throw HistoryError(
        .temporary, "the cursor file \(file.path) cannot be read: \(error)",
        hint: "check its permissions")
    }
    guard let content else { return nil }
    guard let text = String(validating: content, as: UTF8.self) else { throw damaged }
    let trimmed = text.hasSuffix("\n") ? text.dropLast() : text[...]
    do throws(HistoryError) {
      return try HistoryToken(trimmed)
    } catch {
      throw damaged
    }
  }

  func save(_ token: HistoryToken) throws(HistoryError) -> Bool {
    do throws(DurableFile.Failure) {
      try file.replace(with: Array("\(token)\n".utf8))
      return true
    } catch {
      throw HistoryError(
        .temporary, "the cursor file \(file.path) cannot be written: \(error)",
        hint: "the old position is still in it")
    }
  }

  func saveAtEnd(_ token: HistoryToken) throws(HistoryError) { _ = try save(token) }

  func ofAnotherStore(_ error: HistoryError) -> HistoryError {
    HistoryError(
      .foreignToken, "the cursor file \(file.path) is of another store",
      hint: "give each store a cursor file of its own, or remove it to begin at the present",
      cause: error)
  }

  private var damaged: HistoryError {
    HistoryError(
      .invalidToken, "the cursor file \(file.path) holds no token, or was damaged",
      hint: "it was left as it is; remove it to start at --since")
  }
}

/// Keeps a position in the store, under a name.
final class ConsumerKeeper: PositionKeeper {
  static let usualDelay = Duration.seconds(1)
  let delay = usualDelay
  private let name: String
  private let path: String
  /// Kept open, since opening and closing wakes whoever watches the directory.
  private var store: TrackedStore?

  init(_ name: String, at path: String) {
    self.name = name
    self.path = path
  }

  func position() throws(HistoryError) -> HistoryToken? {
    try Consumers(TrackedStore(path: path, access: .readOnly)).position(of: name)
  }

  func save(_ token: HistoryToken) throws(HistoryError) -> Bool {
    do throws(HistoryError) {
      try acknowledge(token, waiting: 0)
      return true
    } catch {
      if error.isLeftToStream { return false }
      throw error
    }
  }

  func saveAtEnd(_ token: HistoryToken) throws(HistoryError) {
    try acknowledge(token, waiting: 5000)
  }

  private func acknowledge(_ token: HistoryToken, waiting: Int32) throws(HistoryError) {
    let store: TrackedStore
    // What is written to a file that was moved away is lost with the connection.
    if let open = self.store, open.file.isStill(at: path) {
      store = open
    } else {
      store = try TrackedStore(path: path, access: .readWrite)
    }
    self.store = store
    store.waitForLocks(milliseconds: waiting)
    try Consumers(store).acknowledge(name, token)
  }
}

extension HistoryError {
  /// Whether a position that could not be kept in the store is no reason for a stream to end.
  ///
  /// Others are writing: they come first, and it is kept a little later. Or history was dropped, or
  /// the file replaced, since the stream read it: it will notice, and has been told what to do then.
  var isLeftToStream: Bool {
    switch code {
    case .temporary, .historyTokenExpired, .foreignToken: true
    default: unavailableReason == .missing
    }
  }
}
