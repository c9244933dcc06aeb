private import CSQLite
private import Synchronization

/// A file system layer of SQLite whose clock a test sets, so that no test needs to sleep.
///
/// It is the usual layer with another clock, and it may be mixed with the usual one on the same
/// file. What `julianday('now')` and its kin say on a connection opened with it comes from here.
///
/// ```swift
/// let clock = ClockVFS(now: 1_764_486_000_000)
/// let connection = try store.connection(vfs: clock.name)
/// clock.advance(milliseconds: 1_000)
/// ```
///
/// Each has a clock of its own and stays registered until the process ends.
public final class ClockVFS: Sendable {
  /// The name to open connections with.
  public let name: String

  private let state: State

  /// What SQLite's callbacks read and write, on whichever thread uses a connection.
  fileprivate final class State: Sendable {
    let now: Atomic<Int64>
    let tick = Atomic<Int64>(0)
    let statementJournals = Atomic<Int>(0)

    init(now: Int64) { self.now = Atomic(now) }
  }

  private static let count = Atomic<Int>(0)

  /// Registers a layer.
  ///
  /// - Parameter now: The time of its clock, in milliseconds since 1970.
  public init(now: Int64) {
    let number = Self.count.add(1, ordering: .relaxed).newValue
    name = "historyclock-\(number)"
    state = State(now: now)
    Layer.register(name: name, state: state)
  }

  /// The time of its clock, in milliseconds since 1970.
  public var now: Int64 {
    get { state.now.load(ordering: .sequentiallyConsistent) }
    set { state.now.store(newValue, ordering: .sequentiallyConsistent) }
  }

  /// Moves the clock on.
  ///
  /// - Parameter milliseconds: By how much; negative to set it back.
  public func advance(milliseconds: Int64) {
    state.now.add(milliseconds, ordering: .sequentiallyConsistent)
  }

  /// By how many milliseconds the clock moves on whenever SQLite looks at it; at first 0.
  public var tick: Int64 {
    get { state.tick.load(ordering: .sequentiallyConsistent) }
    set { state.tick.store(newValue, ordering: .sequentiallyConsistent) }
  }

  /// How many statement journals have outgrown memory and been written to a file.
  public var statementJournals: Int {
    state.statementJournals.load(ordering: .sequentiallyConsistent)
  }
}

/// The callbacks of the layer.
private enum Layer {
  static func register(name: String, state: ClockVFS.State) {
    VFSLayer.register(name: name, owner: state) { vfs in
      vfs.xCurrentTimeInt64 = { layer, time in
        guard let state = Layer.state(layer), let time else { return SQLITE_ERROR }
        time.pointee = Layer.julianMilliseconds(state)
        return SQLITE_OK
      }
      vfs.xCurrentTime = { layer, time in
        guard let state = Layer.state(layer), let time else { return SQLITE_ERROR }
        time.pointee = Double(Layer.julianMilliseconds(state)) / 86_400_000
        return SQLITE_OK
      }
      vfs.xOpen = { layer, name, file, flags, outFlags in
        guard let state = Layer.state(layer), let system = VFSLayer.system else {
          return SQLITE_CANTOPEN
        }
        if flags & SQLITE_OPEN_SUBJOURNAL != 0 {
          state.statementJournals.add(1, ordering: .sequentiallyConsistent)
        }
        return system.pointee.xOpen(system, name, file, flags, outFlags)
      }
    }
  }

  static func state(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> ClockVFS.State? {
    VFSLayer.owner(of: vfs, as: ClockVFS.State.self)
  }

  /// The time in SQLite's measure: milliseconds since noon in Greenwich on 24 November 4714 B.C.
  static func julianMilliseconds(_ state: ClockVFS.State) -> Int64 {
    let tick = state.tick.load(ordering: .sequentiallyConsistent)
    let now = state.now.add(tick, ordering: .sequentiallyConsistent).oldValue
    return now + 210_866_760_000_000
  }
}
