import HistoryModel
import Testing

@testable import TimelineReload

/// Plays inputs drawn as marbles to a state machine and draws what it asks for.
///
/// Each character is a second; what happens within one stands in parentheses; spaces are only
/// there to look good. A timer that is due comes before the inputs of its second.
///
///     input    c  a change is committed        output   R  run: something changed
///              p  one that does not match               A  run again, after a failure
///              h  a reload is asked for by hand         H  run because it was asked for
///              o  the run ends and confirms             N  run anew: the position was lost
///              x  the run fails                         E  end the run
///              l  the position is lost                  -  nothing
///              s  the caller stops
///              !  the process dies, and another one starts
///              -  nothing
///
/// It keeps the state only when the machine says that it must, as a caller would at worst.
struct ReloadMarbles {
  private static let store = StoreIdentifier()
  private let policy: ReloadPolicy
  private var machine: ReloadStateMachine
  private var timer: Duration?
  private var second = 0
  /// What was committed, and whether it matches; its token is its place, counted from 1.
  private(set) var history: [Bool] = []
  private(set) var kept: ReloadState
  private(set) var isRunning = false
  private var isEnding = false
  private(set) var reloads: [Reload] = []
  /// Those of `reloads` that succeeded without having been told to end.
  private(set) var confirmed: [Reload] = []
  /// When each of `reloads` began, in seconds.
  private(set) var beginnings: [Int] = []
  /// How far the wall clock is from the seconds that have passed.
  var wallClockOffset = 1_800_000_000

  init(_ policy: ReloadPolicy = .marbles(), from state: ReloadState? = nil) {
    self.policy = policy
    kept = state ?? ReloadState(at: Self.token(0))
    machine = ReloadStateMachine(
      kind: "tasks", policy, kept, now: .zero, wallClock: Int64(wallClockOffset) * 1000)
  }

  static func token(_ sequence: Int) -> HistoryToken {
    HistoryToken(storeIdentifier: store, epoch: 1, sequence: Int64(sequence), check: 7)
  }

  private var now: Duration { .seconds(second) }
  private var wallClock: Int64 { Int64(second + wallClockOffset) * 1000 }

  /// What the machine would have kept.
  var state: ReloadState { machine.state(now: now, wallClock: wallClock) }

  /// The ranges of the reloads, as the numbers of the commits that they begin after and end with.
  var ranges: [[Int]] {
    reloads.map { [Int($0.range.since.sequence), Int($0.range.until.sequence)] }
  }

  /// Expects a drawing of outputs for one of inputs.
  mutating func expect(
    _ inputs: String, _ outputs: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(play(inputs) == outputs, sourceLocation: sourceLocation)
  }

  mutating func play(_ marbles: String) -> String {
    var drawing = ""
    var together: String?
    for marble in marbles where marble != " " {
      if marble == "(" {
        together = ""
      } else if marble == ")" {
        drawing += playSecond(together ?? "")
        together = nil
      } else if together != nil {
        together?.append(marble)
      } else {
        drawing += playSecond(String(marble))
      }
    }
    return drawing
  }

  /// Lets time pass without any input.
  mutating func rest(_ seconds: Int) -> String { play(String(repeating: "-", count: seconds)) }

  private mutating func playSecond(_ inputs: String) -> String {
    var drawing = ""
    while let timer, timer <= now {
      self.timer = nil
      perform(machine.timerFired(now: now), &drawing)
    }
    for input in inputs {
      if input == "!" {
        restart(&drawing)
      } else {
        perform(action(of: input), &drawing)
      }
    }
    second += 1
    return drawing.count > 1 ? "(\(drawing))" : drawing.isEmpty ? "-" : drawing
  }

  private mutating func action(of input: Character) -> ReloadStateMachine.Action? {
    switch input {
    case "c":
      history.append(true)
      return machine.changed(summary(of: history.count), now: now)
    case "p":
      history.append(false)
      machine.passedOver(Self.token(history.count))
      return nil
    case "h": return machine.reloadRequested(now: now)
    case "o", "x":
      if input == "o", isRunning, !isEnding { confirmed += reloads.suffix(1) }
      isRunning = false
      return machine.runEnded(isConfirmed: input == "o", now: now)
    case "l":
      history.append(false)
      return machine.positionLost(Self.token(history.count), now: now)
    case "s": return machine.stopped()
    default: return nil
    }
  }

  private func summary(of place: Int) -> HistorySummary {
    var summary = HistorySummary(since: Self.token(place - 1))
    summary.add(author: "app", changes: 1, tables: ["tasks"], until: Self.token(place))
    return summary
  }

  private mutating func restart(_ drawing: inout String) {
    isRunning = false
    timer = nil
    machine = ReloadStateMachine(kind: "tasks", policy, kept, now: now, wallClock: wallClock)
    perform(machine.began(now: now), &drawing)
    for place in Int(kept.token.sequence)..<history.count {
      if history[place] {
        perform(machine.changed(summary(of: place + 1), now: now), &drawing)
      } else {
        machine.passedOver(Self.token(place + 1))
      }
    }
  }

  private mutating func perform(
    _ action: ReloadStateMachine.Action?, _ drawing: inout String
  ) {
    if machine.keeping == .now {
      kept = state
      machine.stateKept()
    }
    switch action {
    case nil: break
    case .rest: timer = nil
    case .wait(let until):
      #expect(until > now, "what is due is not waited for")
      timer = until
    case .endRun:
      #expect(isRunning && !isEnding)
      isEnding = true
      timer = nil
      drawing += "E"
    case .start(let reload):
      #expect(!isRunning, "two at once")
      #expect(kept == state, "the state is kept before a run begins")
      timer = nil
      isRunning = true
      isEnding = false
      reloads.append(reload)
      beginnings.append(second)
      drawing += Self.letters[reload.reason] ?? "?"
    }
  }

  private static let letters: [Reload.Reason: String] = [
    .changed: "R", .retry: "A", .requested: "H", .reset: "N",
  ]
}

extension ReloadPolicy {
  /// A policy in the seconds of marbles: 3 of quiet, 8 at most.
  static func marbles(
    debounce: Int = 3, maximumWait: Int = 8, minimumInterval: Int? = nil, budget: Budget? = nil,
    onBusy: WhenBusy = .queue
  ) -> ReloadPolicy {
    ReloadPolicy(
      debounce: .seconds(debounce), maximumWait: .seconds(maximumWait),
      minimumInterval: minimumInterval.map { .seconds($0) }, budget: budget, onBusy: onBusy)
  }
}
