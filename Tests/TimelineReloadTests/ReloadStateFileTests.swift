import EventLoop
import HistoryModel
import HistoryTestSupport
import Testing

@testable import TimelineReload

@Suite("State file of reloads")
struct ReloadStateFileTests {
  private static let bare = ReloadState(at: ReloadMarbles.token(3))
  private static let full: ReloadState = {
    var state = bare
    state.tries = .init(count: 2, until: ReloadMarbles.token(9))
    state.debt = .reset
    state.lastBeginning = 1_796_019_751_123
    state.day = .init(start: 1_796_000_000_000, runs: 3)
    return state
  }()

  @Test("a state comes back as it was kept, after the process too", arguments: [bare, full])
  func roundTrip(state: ReloadState) throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("state")
    do {
      let file = try ReloadStateFile(path: path)
      #expect(try file.read() == nil, "No file: begin at the present.")
      try file.replace(with: Self.bare)
      try file.replace(with: state)
    }
    #expect(try ReloadStateFile(path: path).read() == state)
  }

  @Test("the text is short, has a version, and is the documented one")
  func text() {
    #expect(
      Self.full.text == """
        historywatch-run 1
        token \(ReloadMarbles.token(3))
        tries 2 \(ReloadMarbles.token(9))
        debt reset
        last 1796019751123
        day 1796000000000 3
        end

        """)
    #expect(Self.bare.text == "historywatch-run 1\ntoken \(ReloadMarbles.token(3))\nend\n")
  }

  @Test("a file has one user at a time")
  func locked() throws {
    let directory = try TemporaryDirectory()
    let first = try ReloadStateFile(path: directory.file("state"))
    let error = #expect(throws: HistoryError.self) {
      try ReloadStateFile(path: directory.file("state"))
    }
    #expect(error?.code == .temporary)
    #expect(error?.message.contains("in use by another process") == true)
    _ = try first.read()
  }

  @Test("a place that cannot be written to says so")
  func unwritable() throws {
    let directory = try TemporaryDirectory()
    let error = #expect(throws: HistoryError.self) {
      try ReloadStateFile(path: directory.file("no/such/place"))
    }
    #expect(error?.code == .temporary)
    #expect(error?.hint != nil)
  }

  @Test("cut off anywhere it is damaged, and no state is made of the rest")
  func cutOff() {
    let text = Self.full.text
    for length in 0..<text.count {
      #expect(throws: ReloadState.Flaw.self) { try ReloadState(String(text.prefix(length))) }
    }
  }

  @Test(
    "what no version writes is damaged",
    arguments: [
      "token", "token a b", "tries 0 TOKEN", "tries 2", "tries -1 TOKEN", "debt much", "debt",
      "debt reset now", "last x", "last -5", "last 123456789012345678901234567890", "last",
      "day 5", "day 5 -1", "day 5 1 1", "more 1", "", "last 1\nlast 2", "token TOKEN",
    ])
  func damaged(line: String) {
    let token = "\(ReloadMarbles.token(1))"
    let text = """
      historywatch-run 1
      token \(token)
      \(line.replacing("TOKEN", with: token))
      end

      """
    #expect(throws: ReloadState.Flaw.damaged) { try ReloadState(text) }
  }

  @Test("a file that is damaged, empty or of another version is refused and left alone")
  func refused() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("state")
    let file = try ReloadStateFile(path: path)
    for (content, sentence) in [
      ("", "damaged"), ("hw1.abc\n", "damaged"), (Self.full.text + "x", "damaged"),
      (Self.full.text.replacing("run 1", with: "run 2"), "another version"),
    ] {
      try DurableFile(path: path).replace(with: Array(content.utf8))
      let error = #expect(throws: HistoryError.self) { try file.read() }
      #expect(error?.code == .invalidToken)
      #expect(error?.message.contains(sentence) == true)
      #expect(try DurableFile(path: path).read(limit: 4096) == Array(content.utf8))
    }
    try DurableFile(path: path).replace(with: [0xff, 0xfe])
    #expect(throws: HistoryError.self) { try file.read() }
  }
}
