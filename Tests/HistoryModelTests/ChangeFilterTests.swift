import HistoryModel
import Testing

@Suite("Change filter")
struct ChangeFilterTests {
  @Test("what is empty does not restrict")
  func empty() {
    let filter = ChangeFilter()
    #expect(filter.matches(author: nil))
    #expect(filter.matches(author: "app"))
    #expect(filter.matches(table: ""))
    for operation in Operation.allCases { #expect(filter.matches(operation: operation)) }
  }

  @Test("tables are compared without case of ASCII letters, and of no others")
  func tables() {
    let filter = ChangeFilter(tables: ["Tasks", "STRASSE", "É"])
    #expect(filter.matches(table: "tasks"))
    #expect(filter.matches(table: "TASKS"))
    #expect(!filter.matches(table: "tasks "))
    #expect(filter.matches(table: "É"))
    #expect(!filter.matches(table: "é"))
    #expect(!filter.matches(table: "straße"))
    #expect(ChangeFilter.folded("AZaz@[`{É") == "azaz@[`{É")
  }

  @Test("nil stands for untagged transactions")
  func authors() {
    let only = ChangeFilter(authors: ["app", nil])
    #expect(only.matches(author: "app"))
    #expect(only.matches(author: nil))
    #expect(!only.matches(author: "App"))
    let tagged = ChangeFilter(excludedAuthors: [nil])
    #expect(!tagged.matches(author: nil))
    #expect(tagged.matches(author: "app"))
    let both = ChangeFilter(authors: ["app", "widget"], excludedAuthors: ["app"])
    #expect(!both.matches(author: "app"))
    #expect(both.matches(author: "widget"))
    #expect(!both.matches(author: nil))
  }

  @Test("operations are those asked for")
  func operations() {
    let filter = ChangeFilter(operations: [.insert, .delete])
    #expect(Operation.allCases.filter(filter.matches(operation:)) == [.insert, .delete])
  }

  @Test("an interest compares names as a filter does")
  func interestNames() {
    #expect(
      ChangeInterest(columns: .named(["Title"]), rows: ["Tasks": 7])
        == ChangeInterest(columns: .named(["title"]), rows: ["tasks": 7]))
    #expect(
      ChangeInterest(columns: .byTable(["Tasks": ["Title"]]))
        == ChangeInterest(columns: .byTable(["tasks": ["title"]])))
  }
}
