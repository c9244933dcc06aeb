import EventLoop
import HistoryModel

extension CalendarTime {
  /// This moment.
  static var now: CalendarTime { CalendarTime(milliseconds: WallClock.milliseconds) }

  /// A moment earlier by a duration.
  func before(_ duration: Duration) -> CalendarTime {
    let (seconds, attoseconds) = duration.components
    return CalendarTime(
      milliseconds: milliseconds - seconds * 1000 - attoseconds / 1_000_000_000_000_000)
  }
}
