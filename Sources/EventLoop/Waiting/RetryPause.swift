/// How long to wait with another try of what has failed.
package enum RetryPause {
  /// 1 s after the first failure, twice as long after each further one, and never over a minute.
  ///
  /// - Parameter failures: How many there were, 1 or more.
  /// - Returns: The pause.
  package static func after(_ failures: Int) -> Duration {
    .seconds(min(60, 1 << min(failures - 1, 6)))
  }
}
