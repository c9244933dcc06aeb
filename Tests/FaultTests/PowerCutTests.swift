import HistoryTestSupport
import SQLite
import Testing

/// Wherever the power is cut, the store is what it was before or after, and nothing that was said to be
/// done is lost.
@Suite("Power cuts", .timeLimit(.minutes(10)))
struct PowerCutTests {
  /// Operations that change a store through SQLite alone, or whose other files last at once.
  private static let subjects =
    FaultSubject.history.filter { !["read the history", "row snapshot"].contains($0.name) }
    + FaultSubject.sync.filter { $0.name.hasPrefix("apply") }
    + FaultSubject.boundary.filter {
      ["owner: migrate in place", "owner: adopt"].contains($0.name)
    }

  @Test("at any moment", arguments: FaultSubject.cases(subjects))
  func anyMoment(faultCase: FaultCase) async throws {
    let explorer = try await FaultExplorer(faultCase)
    let scene = try explorer.scene()
    let directory = try WatchedDirectory(scene.directory.path)
    let recorder = try WriteRecorder(
      directory, databases: [scene.path, scene.other], others: [scene.path + "-ready"])
    try await faultCase.subject.operate(scene)
    let cut = recorder.finish()
    let isWhole = TestScale.isWhole
    var losses: [PowerCut.Loss] = [.all, .none, .some(seed: 1), .some(seed: 2)]
    if isWhole { losses += (3..<8).map { .some(seed: $0) } }
    let step = isWhole ? 1 : max(1, cut.moments.count / 12)
    for moment in Array(stride(from: 0, to: cut.moments.upperBound, by: step)) + [
      cut.moments.upperBound
    ] {
      for loss in losses {
        let left = try FaultScene()
        try cut.leave(after: moment, losing: loss, in: left.directory.path)
        for text in try await explorer.judge(left) {
          Issue.record("\(faultCase.testDescription), cut at \(moment), losing \(loss): \(text)")
          return
        }
      }
    }
    if isWhole { print("cuts: \(faultCase.testDescription): \(cut.moments.count)") }
    // Without a log SQLite does not wait for its journal's deletion to last, and a cut right after the
    // commit may undo it: <https://www.sqlite.org/pragma.html#pragma_synchronous>.
    if faultCase.journal == .wal, !faultCase.subject.name.hasPrefix("apply") {
      try expectKept(scene, cut)
    }
  }

  /// What was done when the operation came back is there, though nothing else was synced.
  private func expectKept(_ scene: FaultScene, _ cut: PowerCut) throws {
    let left = try FaultScene()
    try cut.leave(after: cut.moments.upperBound, losing: .all, in: left.directory.path)
    let images = try [scene, left].map { scene in
      try RowImage(Connection(path: scene.path), tables: ["tasks", "notes"])
    }
    #expect(images[0].differences(from: images[1]) == [])
  }
}
