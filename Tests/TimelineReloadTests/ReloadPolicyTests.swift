import Testing
import TimelineReload

@Suite("Reload policy")
struct ReloadPolicyTests {
  @Test("without arguments it is what the command line uses")
  func defaults() {
    let policy = ReloadPolicy()
    #expect(policy.debounce == .milliseconds(250))
    #expect(policy.maximumWait == .seconds(2))
    #expect(policy.minimumInterval == nil)
    #expect(policy.budget == nil)
    #expect(policy.onBusy == .queue)
  }
}
