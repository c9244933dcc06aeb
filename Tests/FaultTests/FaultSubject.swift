import HistoryModel
import HistoryTestSupport
import Testing

/// An operation that is tried with faults.
struct FaultSubject: Sendable, CustomTestStringConvertible {
  let name: String
  /// The journal modes in which it does different things.
  var journals: [TemporaryStore.Journal] = [.wal, .delete]
  /// Whether the store is tracked from the beginning.
  var isTracked = true
  /// The name of the store's file that is looked at afterwards.
  var file = "store.db"
  /// Why positions that were handed out before may have expired.
  var expiry: Set<ExpiryReason> = []
  /// How it is refused where the failed attempt did it after all.
  var refusal: HistoryError.Code?
  /// Whether there need not be a store until it was done again.
  var mayBeMissing = false
  /// Whether it leaves no history.
  var dropsHistory = false
  /// Brings the store into the state that the operation needs.
  var prepare: @Sendable (FaultScene) async throws -> Void = { _ in }
  /// The operation, with whatever it opens.
  let operate: @Sendable (FaultScene) async throws -> Void

  var testDescription: String { name }

  init(_ name: String, _ operate: @escaping @Sendable (FaultScene) async throws -> Void) {
    self.name = name
    self.operate = operate
  }

  /// The same with something changed.
  func with(_ change: (inout FaultSubject) -> Void) -> FaultSubject {
    var subject = self
    change(&subject)
    return subject
  }

  /// Each with each of its journal modes.
  static func cases(_ subjects: [FaultSubject]) -> [FaultCase] {
    subjects.filter { TestScale.isChosen($0.name) }.flatMap { subject in
      subject.journals.map { FaultCase(subject: subject, journal: $0) }
    }
  }
}

/// A subject in one journal mode.
struct FaultCase: Sendable, CustomTestStringConvertible {
  let subject: FaultSubject
  let journal: TemporaryStore.Journal

  var testDescription: String { "\(subject.name), \(journal.rawValue)" }
}
