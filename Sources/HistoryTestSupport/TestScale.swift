private import Glibc

/// How much the tests try that try many things at random.
///
/// `HISTORYWATCH_TEST_SCALE` says it in percent of what a plain run tries; 100 where it is not set.
/// A run under a sanitizer takes ten times as long, and finds what it can find in a part of it.
public enum TestScale {
  /// How much, in percent.
  public static let percent: Int = {
    guard let text = getenv("HISTORYWATCH_TEST_SCALE"), let percent = Int(String(cString: text))
    else { return 100 }
    return max(1, percent)
  }()

  /// How many steps to explore.
  ///
  /// - Parameter depth: How many a plain run takes.
  /// - Returns: That many, or one less, which are far fewer states, where less is to be tried.
  public static func depth(_ depth: Int) -> Int { percent < 100 ? depth - 1 : depth }

  /// The seeds to try.
  ///
  /// - Parameter count: How many a plain run tries.
  /// - Returns: That part of them, at least the first.
  public static func seeds(_ count: UInt64) -> Range<UInt64> {
    1..<1 + max(1, count * UInt64(percent) / 100)
  }

  /// Whether something that has a name is tried: one whose name has HISTORYWATCH_TEST_ONLY in it, where
  /// that is set.
  ///
  /// - Parameter name: Its name.
  /// - Returns: Whether it is.
  package static func isChosen(_ name: String) -> Bool {
    guard let only = getenv("HISTORYWATCH_TEST_ONLY") else { return true }
    return name.contains(String(cString: only))
  }

  /// Whether everything is to be tried that there is, however long it takes: over 100 percent.
  public static var isWhole: Bool { percent > 100 }
}
