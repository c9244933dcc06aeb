import HistoryModel
import Testing
import TimelineReload

@Suite("Timeline kind")
struct TimelineKindTests {
  @Test("what it is made of becomes an interest, names in any letter case")
  func interest() {
    let kind = TimelineKind(
      "TasksWidget", tables: ["Tasks"], operations: [.insert], authors: ["app", nil],
      ignoringAuthors: ["widget"], changedColumns: ["Title"],
      policy: ReloadPolicy(debounce: .seconds(1)))
    #expect(kind.name == "TasksWidget")
    #expect(
      kind.interest
        == ChangeInterest(
          ChangeFilter(
            tables: ["tasks"], operations: [.insert], authors: ["app", nil],
            excludedAuthors: ["widget"]),
          columns: .named(["title"])))
    #expect(kind.policy.debounce == .seconds(1))
  }

  @Test("without arguments everything matters")
  func everything() {
    let kind = TimelineKind("all")
    #expect(kind == TimelineKind("all", matching: ChangeInterest()))
    #expect(kind.policy == ReloadPolicy())
  }
}
