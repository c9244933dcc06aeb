/// A time as people say it: "3 minutes ago", "yesterday".
struct RelativeTime: Hashable, Sendable, CustomStringConvertible {
  /// The words.
  let description: String

  /// Says how far a moment is from now.
  ///
  /// Days are spans of 24 hours, since it knows no time zone. What lies within ten seconds, also
  /// ahead where clocks differ, is now.
  ///
  /// - Parameters:
  ///   - moment: Unix time in milliseconds.
  ///   - now: Unix time in milliseconds.
  init(_ moment: Int64, now: Int64) {
    let (difference, overflow) = now.subtractingReportingOverflow(moment)
    let seconds = (overflow ? (now > moment ? .max : .min) : difference) / 1_000
    if seconds.magnitude < 10 {
      description = "just now"
    } else {
      let span = Self.span(seconds.magnitude)
      switch (span, seconds > 0) {
      case ((1, "day"), true): description = "yesterday"
      case ((1, "day"), false): description = "tomorrow"
      case ((let count, let unit), true): description = "\(Self.counted(count, unit)) ago"
      case ((let count, let unit), false): description = "in \(Self.counted(count, unit))"
      }
    }
  }

  private static func counted(_ count: UInt64, _ unit: String) -> String {
    count == 1 ? "1 \(unit)" : "\(count) \(unit)s"
  }

  /// The largest unit of which there is at least one, and how many there are.
  private static func span(_ seconds: UInt64) -> (UInt64, String) {
    let day: UInt64 = 86_400
    switch seconds {
    case ..<60: return (seconds, "second")
    case ..<3_600: return (seconds / 60, "minute")
    case ..<day: return (seconds / 3_600, "hour")
    case ..<(14 * day): return (seconds / day, "day")
    case ..<(60 * day): return (seconds / (7 * day), "week")
    case ..<(730 * day): return (seconds / (30 * day), "month")
    default: return (seconds / (365 * day), "year")
    }
  }
}
