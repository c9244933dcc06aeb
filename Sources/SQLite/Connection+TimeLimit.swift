private import CSQLite

/// A question at an address, so that SQLite can be given a pointer to it.
private final class Question {
  let ask: () -> Bool

  init(_ ask: @escaping () -> Bool) { self.ask = ask }
}

/// When a time limit ends, at an address, so that SQLite can be given a pointer to it.
private final class Deadline {
  let end: ContinuousClock.Instant

  init(_ end: ContinuousClock.Instant) { self.end = end }
}

extension Connection {
  /// How many steps of SQLite's virtual machine lie between two looks at the clock: well below a
  /// millisecond.
  private static let stepsBetweenLooks: Int32 = 10_000

  /// Runs statements, and interrupts them once they have taken too long.
  ///
  /// The corresponding SQLite function is `sqlite3_progress_handler`, see
  /// <https://www.sqlite.org/c3ref/progress_handler.html>.
  ///
  /// - Parameters:
  ///   - limit: How long they may take; nil for as long as they do.
  ///   - body: Runs the statements.
  /// - Returns: What the body returned.
  /// - Throws: ``SQLiteError`` with the code `.interrupt` when the time was over, and what the body
  ///   throws.
  public func withTimeLimit<T>(
    _ limit: Duration?, _ body: () throws(SQLiteError) -> T
  ) throws(SQLiteError) -> T {
    guard let handle, let limit else { return try body() }
    let deadline = Deadline(.now + limit)
    sqlite3_progress_handler(
      handle, Self.stepsBetweenLooks,
      { context in
        guard let context else { return 0 }
        let deadline = Unmanaged<Deadline>.fromOpaque(context).takeUnretainedValue()
        return deadline.end < .now ? 1 : 0
      }, Unmanaged.passUnretained(deadline).toOpaque())
    defer {
      forgetProgressHandler()
      withExtendedLifetime(deadline) {}
    }
    return try body()
  }

  /// Runs statements, and interrupts them as soon as they are to stop.
  ///
  /// The corresponding SQLite function is `sqlite3_progress_handler`, see
  /// <https://www.sqlite.org/c3ref/progress_handler.html>.
  ///
  /// - Parameters:
  ///   - mustStop: Asked several times in a millisecond while a statement runs.
  ///   - body: Runs the statements.
  /// - Returns: What the body returned.
  /// - Throws: Whatever the body throws: ``SQLiteError`` with the code `.interrupt` where a
  ///   statement was stopped.
  package func stopping<T>(
    when mustStop: @escaping () -> Bool, _ body: () throws -> T
  ) throws -> T {
    guard let handle else { return try body() }
    let question = Question(mustStop)
    sqlite3_progress_handler(
      handle, Self.stepsBetweenLooks,
      { context in
        guard let context else { return 0 }
        return Unmanaged<Question>.fromOpaque(context).takeUnretainedValue().ask() ? 1 : 0
      }, Unmanaged.passUnretained(question).toOpaque())
    defer {
      forgetProgressHandler()
      withExtendedLifetime(question) {}
    }
    return try body()
  }

  /// The body may have closed the connection, whose handle is freed then.
  private func forgetProgressHandler() {
    guard let handle else { return }
    sqlite3_progress_handler(handle, 0, nil, nil)
  }
}
