/// Where a server says what happens to it.
package struct ServerLog: Sendable {
  /// How much an entry matters, as in syslog.
  package enum Level: Int, Sendable {
    /// It does not work.
    case error = 3
    /// It works, and somebody should look.
    case warning = 4
    /// It is good to know.
    case notice = 5
    /// It is of use to who looks for something.
    case info = 6
  }

  private let write: @Sendable (Level, String) -> Void

  /// Makes a log.
  ///
  /// - Parameter write: Takes each sentence, on the loop. It never has a stored value in it.
  package init(_ write: @escaping @Sendable (Level, String) -> Void) { self.write = write }

  /// Says something.
  ///
  /// - Parameters:
  ///   - level: How much it matters.
  ///   - sentence: What happened.
  package func say(_ level: Level, _ sentence: String) { write(level, sentence) }
}
