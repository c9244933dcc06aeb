import HistoryStore
import Testing

@Suite("Giving way")
struct GivingWayTests {
  private static let patience = GivingWay.patience
  private static let end = Duration.seconds(1) + patience

  @Test("who meets no writer reads at once, each time")
  func free() {
    var giving = GivingWay()
    #expect(giving.found(isWriting: false, now: .zero) == .read)
    #expect(giving.found(isWriting: false, now: .seconds(1)) == .read)
    #expect(!giving.isInsisting)
  }

  @Test("a writer goes first, and once he is done the reader follows at once")
  func one() {
    var giving = GivingWay()
    #expect(giving.found(isWriting: true, now: .seconds(1)) == .wait)
    #expect(giving.found(isWriting: true, now: .milliseconds(1_002)) == .wait)
    #expect(giving.found(isWriting: false, now: .milliseconds(1_003)) == .read)
    #expect(!giving.isInsisting)
  }

  @Test("a writer who takes long does not stop a reader for ever; then it is his turn again")
  func long() {
    var giving = GivingWay()
    #expect(giving.found(isWriting: true, now: .seconds(1)) == .wait)
    #expect(giving.found(isWriting: true, now: Self.end - .nanoseconds(1)) == .wait)
    #expect(giving.found(isWriting: true, now: Self.end) == .read)
    #expect(giving.isInsisting)
    #expect(giving.found(isWriting: true, now: Self.end) == .wait)
    #expect(giving.found(isWriting: true, now: Self.end + Self.patience) == .read)
  }

  @Test("a writer met a moment after another gets all of the patience")
  func another() {
    var giving = GivingWay()
    #expect(giving.found(isWriting: true, now: .seconds(1)) == .wait)
    #expect(giving.found(isWriting: false, now: Self.end - .milliseconds(1)) == .read)
    #expect(giving.found(isWriting: true, now: Self.end) == .wait)
    #expect(giving.found(isWriting: true, now: Self.end + Self.patience) == .read)
  }

  @Test("who is far behind insists for a while, and gives way again once it caught up")
  func behind() {
    var giving = GivingWay(insistence: .milliseconds(10))
    #expect(giving.found(isWriting: true, now: .seconds(1)) == .wait)
    for passed in [0, 1, 9] {
      #expect(giving.found(isWriting: true, now: Self.end + .milliseconds(passed)) == .read)
    }
    #expect(giving.found(isWriting: true, now: Self.end + .milliseconds(10)) == .wait)
    #expect(giving.found(isWriting: true, now: Self.end + .seconds(1)) == .read)
    giving.caughtUp()
    #expect(!giving.isInsisting)
    #expect(giving.found(isWriting: true, now: Self.end + .seconds(1)) == .wait)
  }
}
