import HistoryKit

/// The process that shows the tasks, started whenever they are to be shown anew.
enum TasksWidget {
  static let kind = "TasksWidget"

  @Sendable
  static func render(from database: String, _ words: [String]) async throws {
    let store = try ObservedStore(path: database)
    let titles = try await store.read { view in
      try view.rows("SELECT title FROM tasks ORDER BY id").map { try $0.decode(String.self) }
    }
    print("widget: [\(titles.joined(separator: "] ["))]")
    try await store.write(author: "widget", context: "shown") { transaction in
      try transaction.run("UPDATE tasks SET shown = shown + 1")
    }
  }
}
