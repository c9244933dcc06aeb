import EventLoop
import SQLite

/// Commits meanwhile what nobody asked for, so that locks are met and looks find something.
final class Noise: Sendable {
  private let path: String
  private let begun: AsyncStream<Void>
  /// Each makes one commit.
  let starts: AsyncStream<Void>.Continuation
  /// Held while it writes: a file must not be moved away under a transaction.
  ///
  /// The number means nothing. Of a value without a size Thread Sanitizer says that it is where the
  /// object begins, whose class is read without the lock.
  let turn = Guarded(0)

  init(_ path: String) {
    self.path = path
    (begun, starts) = AsyncStream.makeStream()
  }

  func make() async throws {
    for await _ in begun {
      let failure = turn.withLock { _ in commit() }
      if let failure { throw failure }
    }
  }

  private func commit() -> (any Error)? {
    do {
      let connection = try Connection(path: path, access: .readWrite)
      connection.setBusyTimeout(milliseconds: 20_000)
      try connection.execute("BEGIN IMMEDIATE; INSERT INTO u DEFAULT VALUES; COMMIT")
      return nil
    } catch {
      return error
    }
  }
}
