private import Glibc
private import Synchronization

/// A directory in which each call by which SQLite uses files is seen, counted, and made to fail.
///
/// It is seen whoever opens a database there after this was made, by the usual layer. Temporary files,
/// which have no name, are not seen.
public final class WatchedDirectory: Sendable {
  /// Its path, without symbolic links.
  public let path: String

  private let watcher = DirectoryWatcher()

  /// Begins to watch a directory.
  ///
  /// - Parameter path: Its path, which must exist.
  /// - Throws: ``OperatingSystemError`` when it does not.
  public init(_ path: String) throws {
    guard let resolved = realpath(path, nil) else { throw OperatingSystemError("realpath") }
    defer { free(resolved) }
    self.path = String(cString: resolved)
    FaultVFS.watched.add(watcher, self.path)
  }

  deinit { FaultVFS.watched.remove(watcher) }

  /// Makes calls fail from now on, and counts from 1 again.
  ///
  /// - Parameter fault: Which, and how.
  public func arm(_ fault: Fault) {
    watcher.state.withLock {
      $0.fault = fault
      $0.action = nil
      $0.counted = 0
      $0.met = 0
    }
  }

  /// Holds one call up, and counts from 1 again: others do something before it is made.
  ///
  /// - Parameters:
  ///   - number: Which call, from 1.
  ///   - calls: Which calls count.
  ///   - action: What others do, on the thread of the call.
  public func delay(
    callNumber number: Int, of calls: FileCalls = .all, by action: @escaping @Sendable () -> Void
  ) {
    watcher.state.withLock {
      $0.fault = Fault(.fails, at: number, of: calls)
      $0.action = action
      $0.counted = 0
      $0.met = 0
    }
  }

  /// Lets all calls pass from now on.
  public func disarm() {
    watcher.state.withLock {
      $0.fault = nil
      $0.action = nil
    }
  }

  /// How many calls have counted since it was armed.
  public var counted: Int { watcher.state.withLock { $0.counted } }

  /// How many of them failed, or were held up.
  public var met: Int { watcher.state.withLock { $0.met } }

  /// How many files are open.
  public var openFiles: Int { watcher.state.withLock { $0.openFiles } }

  /// Writes down from now on what is written; nil to stop.
  func record(with recorder: WriteRecorder?) { watcher.state.withLock { $0.recorder = recorder } }
}

/// What a directory's files ask before each call; it lives as long as one of them is open.
final class DirectoryWatcher: Sendable {
  fileprivate struct State {
    var fault: Fault?
    var action: (@Sendable () -> Void)?
    var counted = 0
    var met = 0
    var openFiles = 0
    var recorder: WriteRecorder?
  }

  fileprivate let state = Mutex(State())

  func opened() { state.withLock { $0.openFiles += 1 } }
  func closed() { state.withLock { $0.openFiles -= 1 } }

  func verdict(on call: FileCall) -> FileVerdict {
    let (verdict, action, recorder) = state.withLock {
      state -> (FileVerdict, (@Sendable () -> Void)?, WriteRecorder?) in
      guard let fault = state.fault, fault.calls.contains(call.kind) else {
        return (.passes, nil, state.recorder)
      }
      state.counted += 1
      guard state.counted == fault.number || fault.lasts && state.counted > fault.number else {
        return (.passes, nil, state.recorder)
      }
      state.met += 1
      if let action = state.action { return (.passes, action, state.recorder) }
      return (fault.verdict(on: call), nil, state.recorder)
    }
    // Not under the lock: it may use files here itself.
    action?()
    if case .passes = verdict { recorder?.note(call) }
    return verdict
  }
}
