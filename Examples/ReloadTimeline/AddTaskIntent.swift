import HistoryKit

/// The process that adds tasks, and knows neither the app nor the widget.
enum AddTaskIntent {
  @Sendable
  static func perform(in database: String, _ titles: [String]) async throws {
    let writer = try StoreWriter(path: database)
    let token = try await writer.write(author: "intent", context: "add task") { transaction in
      for title in titles {
        try transaction.run("INSERT INTO tasks(title) VALUES (?)", .text(title))
      }
    }
    print(token)
  }
}
