import CSQLite

/// Something that goes wrong when SQLite uses files.
public struct Fault: Sendable {
  /// How it goes wrong.
  public enum Manner: Sendable, Hashable, CaseIterable {
    /// The call does nothing and gives the code of its kind: of input and output, or of a lock.
    case fails
    /// As if the disk were full: a write puts half of its bytes down.
    case isFull
    /// A write puts half of its bytes down and gives an error of input and output.
    case tears
    /// As if somebody else had the lock; other calls fail.
    case isBusy
    /// Memory ran out.
    case lacksMemory
    /// A file cannot be opened; other calls fail.
    case cannotOpen
  }

  /// How it goes wrong.
  public let manner: Manner
  /// Which calls count, and fail.
  public let calls: FileCalls
  /// The first call that fails, from 1.
  public let number: Int
  /// Whether every call after it fails too.
  public let lasts: Bool

  /// Describes a fault.
  ///
  /// - Parameters:
  ///   - manner: How it goes wrong.
  ///   - number: The first call that fails, from 1.
  ///   - calls: Which calls count, and fail.
  ///   - lasts: Whether every call after it fails too.
  public init(_ manner: Manner, at number: Int, of calls: FileCalls = .all, lasts: Bool = false) {
    self.manner = manner
    self.number = number
    self.calls = calls
    self.lasts = lasts
  }

  /// What a call gets that it hits.
  func verdict(on call: FileCall) -> FileVerdict {
    switch manner {
    case .isFull where call.kind == .write:
      .breaksOff(after: call.bytes.count / 2, SQLITE_FULL)
    case .tears where call.kind == .write:
      .breaksOff(after: call.bytes.count / 2, Self.code(of: call.kind))
    case .isBusy where FileCalls.locking.contains(call.kind): .fails(SQLITE_BUSY)
    case .lacksMemory where call.kind == .open || call.kind == .sharedMap: .fails(SQLITE_NOMEM)
    case .lacksMemory: .fails(Self.inputOutput(12))
    case .cannotOpen where call.kind == .open || call.kind == .sharedMap: .fails(SQLITE_CANTOPEN)
    default: .fails(Self.code(of: call.kind))
    }
  }

  /// The code that the system's layer gives where a call of that kind fails.
  private static func code(of kind: FileCalls) -> Int32 {
    switch kind {
    case .open: SQLITE_CANTOPEN
    case .read: inputOutput(1)
    case .write: inputOutput(3)
    case .sync: inputOutput(4)
    case .truncate: inputOutput(6)
    case .delete: inputOutput(10)
    case .lock: inputOutput(15)
    case .sharedMap: inputOutput(21)
    case .sharedLock: inputOutput(20)
    default: SQLITE_IOERR
    }
  }

  // The names of these are macros that Swift does not see: <https://www.sqlite.org/rescode.html>.
  private static func inputOutput(_ detail: Int32) -> Int32 { SQLITE_IOERR | detail << 8 }
}

extension Fault: CustomStringConvertible {
  /// Such as `fails from call 3 on`.
  public var description: String {
    "\(manner) \(lasts ? "from call \(number) on" : "at call \(number)") of \(calls.rawValue)"
  }
}
