import HistoryKit

/// The process that adds a task, and knows neither the app nor the widget.
enum AddTaskIntent {
  /// Adds a task.
  ///
  /// A tap may be delivered twice, so it is: the second time changes nothing.
  @Sendable
  static func perform(in database: String, _ titles: [String]) async throws {
    let store = try StoreContainer.client(at: database, schema: Tasks.schema, access: .readWrite)
    let writer = try store.writer()
    for title in titles {
      let add = IdempotentWrite(
        author: "intent", context: "add task",
        isDone: WriteCheck("SELECT count(*) FROM tasks WHERE title = ?", title)
      ) { transaction in
        try transaction.run("INSERT INTO tasks(title) VALUES (?)", .text(title))
      }
      let outcome = try await add.perform(on: writer)
      guard case .alreadyDone = try await add.perform(on: writer) else {
        throw HistoryError(.temporary, "the task was added twice")
      }
      print(outcome.token)
    }
  }
}
