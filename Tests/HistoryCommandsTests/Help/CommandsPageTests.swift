import Testing

@testable import HistoryCommands

@Suite("The page of all commands")
struct CommandsPageTests {
  @Test("docs/commands.md says what the commands say of themselves")
  func current() throws {
    let page = CommandsPage(.standard)
    if try CommandsPage.written() != page.text { Issue.record("\(try page.leave())") }
  }
}
