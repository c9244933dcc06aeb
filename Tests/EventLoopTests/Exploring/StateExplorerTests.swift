import HistoryTestSupport
import Testing

@Suite("State explorer")
struct StateExplorerTests {
  /// Two jugs of 3 and 5 litres, a well and a drain: the puzzle of measuring 4 litres.
  private struct Jugs: ExploredSystem {
    enum Input { case fillSmall, fillBig, emptySmall, emptyBig, smallToBig, bigToSmall }

    var small = 0
    var big = 0
    var forbidden: Int?
    var canDecant = true

    var inputs: [Input] {
      let all: [Input] = [.fillSmall, .fillBig, .emptySmall, .emptyBig]
      return canDecant ? all + [.smallToBig, .bigToSmall] : all
    }

    mutating func take(_ input: Input) throws(BrokenPromise) {
      switch input {
      case .fillSmall: small = 3
      case .fillBig: big = 5
      case .emptySmall: small = 0
      case .emptyBig: big = 0
      case .smallToBig: (small, big) = (max(0, small - (5 - big)), min(5, big + small))
      case .bigToSmall: (small, big) = (min(3, small + big), max(0, big - (3 - small)))
      }
      try BrokenPromise.unless(small + big < 8 || canDecant, "All is full.")
    }

    func check() throws(BrokenPromise) {
      try BrokenPromise.unless(big != forbidden, "There are \(big) litres.")
    }
  }

  @Test("all states of a small system are found, each once")
  func complete() throws {
    let visit = try StateExplorer().explore(Jugs())
    #expect(visit.isComplete && visit.states == 16 && visit.steps == 96 && visit.depth == 7)
  }

  @Test("a state that must not be is told by the shortest way to it")
  func shortest() throws {
    let found = #expect(throws: StateExplorer.Counterexample.self) {
      try StateExplorer().explore(Jugs(forbidden: 4))
    }
    #expect(
      found?.path
        == ["fillBig", "bigToSmall", "emptySmall", "bigToSmall", "fillBig", "bigToSmall"])
    #expect(found?.promise.description == "There are 4 litres.")
  }

  @Test("a step that must not be is told, and so is a beginning")
  func stepsAndBeginnings() throws {
    let step = #expect(throws: StateExplorer.Counterexample.self) {
      try StateExplorer().explore(Jugs(canDecant: false))
    }
    #expect(step?.path == ["fillSmall", "fillBig"])
    let beginning = #expect(throws: StateExplorer.Counterexample.self) {
      try StateExplorer().explore(Jugs(forbidden: 0))
    }
    #expect(beginning?.path == [])
    #expect(beginning?.description == "There are 0 litres. After: nothing")
  }

  @Test("it goes no farther than it was told, and says that there is more")
  func depth() throws {
    #expect(try StateExplorer(depth: 5).explore(Jugs(forbidden: 4)).isComplete == false)
    let visit = try StateExplorer(depth: 1).explore(Jugs())
    #expect(!visit.isComplete && visit.states == 3 && visit.steps == 6 && visit.depth == 1)
  }
}
