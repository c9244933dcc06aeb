import Testing

@testable import HistoryObservation

@Suite("Stream pace")
struct StreamPaceTests {
  @Test("without options nothing is ever due")
  func nothing() {
    let pace = StreamPace<Int>(timeout: nil, bookmarkInterval: nil, keepDelay: nil, now: .zero)
    #expect(pace.due(1, now: .seconds(1_000_000)).isEmpty)
    #expect(pace.wait(1, now: .zero) == nil)
    #expect(!pace.isUnkept(1))
  }

  @Test("the timeout counts from what was shown last")
  func timeout() {
    var pace = StreamPace<Int>(
      timeout: .seconds(10), bookmarkInterval: nil, keepDelay: nil, now: .zero)
    #expect(pace.wait(1, now: .seconds(4)) == .seconds(6))
    pace.shown(now: .seconds(4))
    #expect(pace.due(1, now: .seconds(13)).isEmpty)
    #expect(pace.wait(1, now: .seconds(13)) == .seconds(1))
    #expect(pace.due(1, now: .seconds(14)) == [.timeOut])
  }

  @Test("bookmarks are as far apart as was asked for")
  func bookmarks() {
    var pace = StreamPace<Int>(
      timeout: nil, bookmarkInterval: .seconds(2), keepDelay: nil, now: .zero)
    #expect(pace.due(1, now: .milliseconds(1999)).isEmpty)
    #expect(pace.due(1, now: .seconds(2)) == [.bookmark])
    pace.bookmarked(now: .seconds(2))
    #expect(pace.due(1, now: .seconds(3)).isEmpty)
    #expect(pace.wait(1, now: .seconds(3)) == .seconds(1))
  }

  @Test("the first position is kept at once, the next ones after the delay, each once")
  func keeping() {
    var pace = StreamPace<Int>(
      timeout: nil, bookmarkInterval: nil, keepDelay: .milliseconds(100), now: .zero)
    #expect(pace.due(1, now: .zero) == [.keep])
    pace.triedToKeep(1, isKept: true, now: .zero)
    #expect(pace.wait(1, now: .zero) == nil)
    #expect(pace.due(2, now: .milliseconds(99)).isEmpty)
    #expect(pace.wait(2, now: .milliseconds(99)) == .milliseconds(1))
    #expect(pace.due(2, now: .milliseconds(100)) == [.keep])
    pace.triedToKeep(2, isKept: true, now: .milliseconds(100))
    #expect(pace.due(2, now: .seconds(9)).isEmpty)
    #expect(!pace.isUnkept(2))
  }

  @Test("a position that could not be kept is tried again after the delay")
  func retrying() {
    var pace = StreamPace<Int>(
      timeout: nil, bookmarkInterval: nil, keepDelay: .seconds(1), now: .zero)
    pace.triedToKeep(1, isKept: false, now: .zero)
    #expect(pace.isUnkept(1))
    #expect(pace.due(1, now: .milliseconds(999)).isEmpty)
    #expect(pace.due(1, now: .seconds(1)) == [.keep])
  }

  @Test("the most urgent comes first: an end leaves nothing to be said")
  func order() {
    let pace = StreamPace<Int>(
      timeout: .seconds(1), bookmarkInterval: .seconds(1), keepDelay: .seconds(1), now: .zero)
    #expect(pace.due(1, now: .seconds(1)) == [.timeOut, .bookmark, .keep])
  }
}
