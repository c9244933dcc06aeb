/// Why a look is due.
enum LookReason {
  /// A source woke up.
  case event
  /// Something was announced that was not visible yet.
  case ladder
  /// A second has passed.
  case safety
}

extension WakeUps {
  /// Looks once for all that this turn of the loop brings.
  ///
  /// A timer and an event often come in one turn. Were the timer answered first, the event would
  /// be taken for a later commit's.
  func lookSoon(_ action: WakeLadderStateMachine.Action, for reason: LookReason) {
    guard action == .look else { return }
    let isFirst = dueFor.isEmpty
    dueFor.insert(reason)
    if isFirst { executor.soon { [weak self] in self?.lookNow() } }
  }

  private func lookNow() {
    let reasons = dueFor
    dueFor = []
    guard isStarted else { return }
    let isSafetyLook = reasons == [.safety] && ladder.isResting
    let changed = look()
    // The owner may have stopped this from within.
    guard isStarted else { return }
    count(reasons, changed: changed)
    if isSafetyLook {
      if changed { counts.unannouncedChanges += 1 }
      pace.looked(changed: changed)
    }
    safetyTimer.start(after: pace.interval) { [weak self] in
      self?.lookSoon(.look, for: .safety)
    }
    goOn(ladder.looked(now: now, changed: changed), after: reasons, changed: changed)
  }

  private func goOn(
    _ action: WakeLadderStateMachine.Action, after reasons: Set<LookReason>, changed: Bool
  ) {
    // Not listening, the timer is taken: it ends the pause.
    guard isListening else { return }
    let action = action != .rest && isSettled() ? ladder.settled() : action
    guard case .lookAgain(let delay) = action else {
      ladderTimer.stop()
      gate.ended()
      return
    }
    if let pause = gate.looked(forEvent: reasons.contains(.event), changed: changed) {
      counts.pauses += 1
      pauseListening(for: pause)
    } else {
      ladderTimer.start(after: delay) { [weak self] in
        guard let self else { return }
        lookSoon(ladder.timerFired(), for: .ladder)
      }
    }
  }

  private func count(_ reasons: Set<LookReason>, changed: Bool) {
    if reasons.contains(.event) {
      counts.eventLooks += 1
    } else if reasons.contains(.ladder) {
      counts.ladderLooks += 1
    } else {
      counts.safetyLooks += 1
    }
    if changed { counts.changes += 1 }
  }
}
