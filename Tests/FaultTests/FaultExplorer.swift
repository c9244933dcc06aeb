import EventLoop
import HistoryModel
import HistoryTestSupport
import SQLite
import Testing

/// Runs an operation again and again, each time on a store of its own and with the fault one call
/// later, until it passes without meeting its fault.
struct FaultExplorer {
  let subject: FaultSubject
  private let template: FaultScene
  private let expectation: StoreExpectation
  private let name: String

  /// Prepares the store that each run gets a copy of.
  init(_ faultCase: FaultCase) async throws {
    // What uses memory of a connection that an error has closed is found out at once.
    FreedMemory.spoil()
    subject = faultCase.subject
    name = faultCase.testDescription
    let scene = try FaultScene()
    try await scene.fill(faultCase.journal, isTracked: subject.isTracked)
    try await subject.prepare(scene)
    expectation = try StoreExpectation(scene, isTracked: subject.isTracked)
    template = scene
  }

  /// A directory as it is before the operation.
  func scene() throws -> FaultScene {
    let scene = try FaultScene()
    try scene.directory.copyFiles(of: template.directory.path)
    return scene
  }

  /// How often an operation was run with one kind of fault.
  struct Tally {
    let manner: String
    /// How many calls count that it makes.
    var calls = 0
    /// How many runs met their fault.
    var runs = 0
  }

  /// The kinds of faults, each for the call of a number.
  private static let kinds: [(name: String, fault: @Sendable (Int) -> Fault)] = [
    ("fails", { Fault(.fails, at: $0) }), ("fails on", { Fault(.fails, at: $0, lasts: true) }),
    ("is full", { Fault(.isFull, at: $0, of: .write) }),
    ("is full on", { Fault(.isFull, at: $0, of: .write, lasts: true) }),
    ("tears", { Fault(.tears, at: $0, of: .write) }),
    ("is busy", { Fault(.isBusy, at: $0, of: .locking) }),
    ("lacks memory", { Fault(.lacksMemory, at: $0) }),
  ]

  /// Tries every kind of fault at every call.
  func exploreAll() async throws -> [Tally] {
    var tallies: [Tally] = []
    for kind in Self.kinds {
      var tally = Tally(manner: kind.name)
      var number = 1
      while try await run(kind.fault(number), &tally) { number += 1 }
      tallies.append(tally)
    }
    return tallies
  }

  /// Tries one kind of fault after the other, the next one a few calls later.
  func exploreInTurn() async throws -> [Tally] {
    var tallies = Self.kinds.map { Tally(manner: $0.name) }
    for (index, kind) in Self.kinds.enumerated() {
      var number = 1 + index
      while try await run(kind.fault(number), &tallies[index]) { number += Self.kinds.count * 2 }
    }
    return tallies
  }

  /// Runs the operation with a fault.
  ///
  /// - Returns: Whether to go on: the fault was met, and it is not yet known well enough what is wrong.
  private func run(_ fault: Fault, _ tally: inout Tally) async throws -> Bool {
    let (counted, isMet, faults) = try await attempt(fault)
    for text in faults { Issue.record("\(name), \(fault): \(text)") }
    tally.calls = max(tally.calls, counted)
    if isMet { tally.runs += 1 }
    return isMet && faults.isEmpty
  }

  private func attempt(_ fault: Fault) async throws -> (Int, Bool, [String]) {
    let scene = try scene()
    let directory = try WatchedDirectory(scene.directory.path)
    directory.arm(fault)
    var faults: [String] = []
    let error = await failure(of: subject.operate, scene)
    directory.disarm()
    let (counted, isMet) = (directory.counted, directory.met > 0)
    if directory.openFiles != 0 { faults.append("\(directory.openFiles) files left open") }
    if let error {
      if isMet { faults += unfit(error) } else { faults.append("without a fault: \(error)") }
    }
    faults += try await judge(scene, isDone: error == nil)
    if !faults.isEmpty, let error { faults.append("after: \(error)") }
    return (counted, isMet, faults)
  }

  /// Looks at what is there after something went wrong, and does it again.
  ///
  /// - Returns: What is not as it should be.
  func judge(_ scene: FaultScene, isDone: Bool = false) async throws -> [String] {
    var faults = verify(scene, isDone: isDone)
    if let error = await failure(of: subject.operate, scene) {
      let code = (error as? HistoryError)?.code
      if code == nil || code != subject.refusal { faults.append("the second time: \(error)") }
    }
    return faults + verify(scene, isDone: true) + (try leftovers(in: scene))
  }

  private func failure(
    of operate: @Sendable (FaultScene) async throws -> Void, _ scene: FaultScene
  ) async -> (any Error)? {
    do {
      try await operate(scene)
      return nil
    } catch {
      return error
    }
  }

  /// Looks at the store through the system's layer.
  private func verify(_ scene: FaultScene, isDone: Bool) -> [String] {
    let path = scene.directory.file(subject.file)
    if DatabaseFile(path: path) == nil {
      return isDone || !subject.mayBeMissing ? ["there is no store"] : []
    }
    do {
      return try expectation.broken(by: path, subject)
    } catch {
      return ["afterwards: \(error)"]
    }
  }

  /// What an error lacks, or has too much.
  private func unfit(_ error: any Error) -> [String] {
    var faults: [String] = []
    if let error = error as? HistoryError {
      if (error.hint ?? "").isEmpty { faults.append("no hint: \(error.code), \(error.message)") }
    } else {
      faults.append("a bare error: \(type(of: error)) \(error)")
    }
    var texts = ["\(error)"]
    if let cause = (error as? HistoryError)?.cause { texts.append("\(cause)") }
    if texts.contains(where: { $0.contains(FaultScene.secret) }) {
      faults.append("a stored value in: \(texts)")
    }
    return faults
  }

  /// Files that were to be gone in the end.
  ///
  /// An old journal without a head, which SQLite could not delete, is nothing to anybody.
  private func leftovers(in scene: FaultScene) throws -> [String] {
    let unfinished = [".tmp", ".unfinished", "-next", ".recovering", "-replacing"]
    return try FileNames.list(scene.directory.path)
      .filter { name in unfinished.contains { name.hasSuffix($0) || name.contains("\($0)-") } }
      .map { "\($0) was left" }
  }
}
