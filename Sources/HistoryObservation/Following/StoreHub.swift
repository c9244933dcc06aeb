package import EventLoop
import HistoryModel
import HistoryStore

/// Follows one store for everybody in this process who observes it.
///
/// There is one connection, one watch and one reader, however many observe: what was committed is
/// read once and told to all. Soon after nobody observes any more nothing is watched.
///
/// It lives on its loop. Every `await` in it lets others run, also one that could return at once: a
/// task that does not itself prefer the loop is queued anew. So whatever must not be interrupted,
/// such as reading to the head and telling everybody, is done without one.
package actor StoreHub {
  /// The loop that it lives on.
  package nonisolated let executor: LoopExecutor
  /// The database's path, as it was given.
  package nonisolated let path: String
  /// The loop that it lives on.
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// The store, until the follower takes it over.
  private var opened: TrackedStore?
  private var madeFollower: StoreFollower?
  /// Reads what is committed; nil while nobody observes.
  var tail: HistoryReader?
  /// The position up to which everybody was told.
  var told: HistoryToken?
  /// Everybody who is told summaries, by interest, in the order in which they came.
  var audiences: [Audience] = []
  /// Everybody who waits for whole transactions.
  var waiters: [Int: TransactionWaiter] = [:]
  var lastWaiter = 0
  /// Gathers whole transactions for the waiters, while there are any.
  var collector: BatchCollector?
  /// Whether anybody asked for transactions since everybody was last told.
  var hasReaders = false
  /// What those who waited were told last, for those of them who come back after the next commit.
  var lastBatch: HistoryBatch?
  /// Those who read for somebody a page at a time.
  var pausedReaders = PausedReaders()
  /// How many are about to be told or to wait, and must not be taken for nobody.
  var arriving = 0
  /// Where ``tail`` has to go on once the store's new file lets itself be read.
  var moving: HistoryToken?
  /// Whether some of what is new was read, and nobody was told of it yet.
  var isBetweenPages = false
  /// Everybody who reads something of his own once all were told.
  var feeds: [any StoreFeed] = []
  let feedCounts = FeedCounts()
  /// Those who read lines and are behind, by the numbers that they were given.
  var cursors: [Int: LineCursor] = [:]
  /// How often everybody was told that they cannot go on.
  var generation = 0
  /// The schema whose drift was told last, and what was told of it.
  var toldSchema: (version: Int64, notices: Set<CaptureNotice>)?
  var following: Task<Void, Never>?
  var lastRequest = 0
  private(set) var isEnding = false
  /// What whoever comes for lines or rows is told instead.
  var dismissal: HistoryError?
  private var whenEnded: (@Sendable () -> Void)?
  private(set) var condition = StoreCondition.followed
  private var conditionChanged: (@Sendable (StoreCondition) -> Void)?
  private(set) var foundDrift: (@Sendable () -> Void)?

  /// Takes over a store that was opened for reading.
  init(_ store: sending TrackedStore, on executor: LoopExecutor) {
    self.executor = executor
    path = store.path
    opened = store
  }

  /// What keeps the store open and watched.
  func follower() throws(HistoryError) -> StoreFollower {
    if let madeFollower { return madeFollower }
    guard let store = opened.take() else { throw .observationEnded }
    do throws(LoopError) {
      let follower = try StoreFollower(store, on: executor)
      madeFollower = follower
      return follower
    } catch {
      opened = store
      throw HistoryError(
        .temporary, "\(path) cannot be observed: \(error.reason)",
        hint: "raise the limits of open files and of inotify watches", cause: error)
    }
  }

  /// Whether anybody needs to know of commits.
  var isNeeded: Bool {
    !isEnding
      && (arriving > 0 || !waiters.isEmpty || feeds.contains { !$0.isGone }
        || audiences.contains { !$0.isEmpty })
  }

  /// Somebody who was arriving is there, or has given up.
  func hasArrived() {
    arriving -= 1
    if !isNeeded { nudge() }
  }

  /// Lets the loop that follows the store notice that something is different.
  func nudge() { madeFollower?.wake() }

  /// Sets what to call when the store is missing or locked for long, and when it is back.
  ///
  /// - Parameter handler: What to call, on the loop.
  package func onCondition(_ handler: (@Sendable (StoreCondition) -> Void)?) {
    conditionChanged = handler
    if condition != .followed { handler?(condition) }
  }

  /// Sets what to call when capture is found not to keep up with the schema.
  ///
  /// - Parameter handler: What to call, on the loop, at the first look and after each change of the
  ///   schema.
  package func onDrift(_ handler: (@Sendable () -> Void)?) { foundDrift = handler }

  func become(_ next: StoreCondition) {
    guard next != condition else { return }
    condition = next
    conditionChanged?(next)
  }

  /// How often what woke the reader; nil before anybody observed.
  package var wakeUpCounts: WakeUpCounts? { madeFollower?.counts }

  /// Ends everything that waits.
  ///
  /// - Parameter handler: Called on the loop once nothing of it runs any more.
  func end(_ handler: @escaping @Sendable () -> Void) {
    isEnding = true
    madeFollower?.isStopped = true
    for waiter in waiters.values { waiter.continuation.resume(returning: .end) }
    waiters = [:]
    guard following != nil else { return handler() }
    whenEnded = handler
    nudge()
  }

  /// The loop that follows the store has ended.
  func hasEnded() {
    following = nil
    tail = nil
    told = nil
    moving = nil
    isBetweenPages = false
    toldSchema = nil
    collector = nil
    lastBatch = nil
    pausedReaders = PausedReaders()
    madeFollower?.stop()
    whenEnded.take()?()
  }
}

extension HistoryError {
  static var observationEnded: HistoryError {
    HistoryError(.temporary, "the store is no longer observed", hint: "open it again")
  }
}
