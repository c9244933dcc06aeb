import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

@Suite("Retention, step by step")
struct RetentionPropertyTests {
  /// Transactions tagged and not, with and without pauses, large and small, and some by a clock
  /// that is years ahead.
  private func timeline(
    _ seed: Int, omitsTimes: Bool
  ) throws -> (Timeline, [Int64]) {
    let timeline = try Timeline(omitsTimes: omitsTimes)
    var state = UInt64(seed) &* 0x9e37_79b9_7f4a_7c15 | 1
    func random(_ limit: Int) -> Int {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Int(state % UInt64(limit))
    }
    var moments: [Int64] = [timeline.clock.now]
    for number in 1...60 {
      let rows = (0...random(4)).map { "(\(number * 10 + $0), zeroblob(\(random(200))))" }
      let sql = "INSERT INTO t VALUES \(rows.joined(separator: ","))"
      let error: Int64 = seed % 3 == 0 && random(4) == 0 ? 10 * 365 * 86_400_000 : 0
      timeline.clock.advance(milliseconds: error)
      if random(3) == 0 {
        try timeline.writer.execute(sql)
      } else {
        try timeline.tagged("app", random(9) == 0 ? "" : sql)
      }
      timeline.clock.advance(milliseconds: Int64(random(3)) * 700 - error)
      moments.append(timeline.clock.now)
    }
    return (timeline, moments)
  }

  private func settle(_ retention: HistoryRetention, _ now: CalendarTime) throws {
    for _ in 0..<2000 {
      switch try retention.look(now: now) {
      case .nothing: return
      case .unfinished: break
      case .work: #expect(try retention.work())
      }
    }
    Issue.record("the retention never comes to its end")
  }

  @Test("by age it ends where trimming at once does", arguments: 1...12)
  func age(seed: Int) throws {
    let (timeline, moments) = try timeline(seed, omitsTimes: seed % 4 == 0)
    let (copy, _) = try self.timeline(seed, omitsTimes: seed % 4 == 0)
    let retention = try HistoryRetention(
      path: timeline.store.path, limits: RetentionLimits(age: .seconds(60), bytes: nil))
    for moment in moments where moment % 7 < 3 {
      let now = CalendarTime(milliseconds: moment + 60_000)
      try settle(retention, now)
      _ = try HistoryTrimmer(copy.store.opened()).trim(
        keeping: .since(CalendarTime(milliseconds: moment)), isForced: false)
      #expect(try timeline.groups() == copy.groups())
    }
    let count = try timeline.writer.row("SELECT count(*) FROM _history_change")?[0].integer
    let state = try timeline.store.opened().state()
    #expect(count == max(state.head.sequence - state.oldest.sequence, 1))
  }

  @Test("by size it keeps what fits, and one transaction more at most", arguments: 1...12)
  func size(seed: Int) throws {
    let (timeline, _) = try timeline(seed, omitsTimes: false)
    let (copy, _) = try self.timeline(seed, omitsTimes: false)
    let groups = try timeline.groups()
    // Smaller than the file in any case, so that it is measured.
    for bytes in [15_000, 9_000, 4_000, 1_000, 100] as [Int64] {
      let retention = try HistoryRetention(
        path: timeline.store.path, limits: RetentionLimits(age: nil, bytes: bytes))
      try settle(retention, CalendarTime(milliseconds: timeline.clock.now))
      let kept = try timeline.groups()
      #expect(Array(groups.suffix(kept.count)) == kept)
      // What is dropped at once for its size is dropped step by step, but for one that fits in part.
      _ = try HistoryTrimmer(copy.store.opened()).trim(keeping: .size(bytes), isForced: false)
      let fitting = try copy.groups().count
      #expect((fitting...(fitting + 1)).contains(kept.count), "\(kept.count) of \(fitting)")
      // Without its oldest transaction it fits; the one before that did not.
      guard kept.count > 1 else { continue }
      _ = try HistoryTrimmer(timeline.store.opened()).trim(
        keeping: .newest(kept.count - 1), isForced: false)
      let size = try timeline.store.opened().size().bytes
      #expect(size <= bytes, "\(size) of \(bytes)")
    }
  }
}
