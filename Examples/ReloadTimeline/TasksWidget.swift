import HistoryKit

/// The process that shows the tasks, started whenever they are to be shown anew.
enum TasksWidget {
  static let kind = "TasksWidget"

  /// Shows what the app has written down for it.
  ///
  /// It needs no store for that, and is never empty because the store is not ready.
  @Sendable
  static func render(from database: String, _ words: [String]) async throws {
    let facts = SnapshotReader(
      path: Tasks.facts(of: database), schema: Tasks.schema, empty: Tasks.Facts()
    ).read()
    print("widget: [\(facts.payload.open.joined(separator: "] ["))]")
    do throws(HistoryError) {
      let store = try StoreContainer.client(
        at: database, schema: Tasks.schema, access: .readWrite)
      try await count(in: store)
    } catch {
      // One sentence for whoever holds the device.
      print(
        "widget: \(error.unavailableReason?.description ?? "\(error.code)"), \(error.hint ?? "")")
    }
  }

  /// Notes that it was shown, under an author that its kind ignores.
  private static func count(in store: StoreContainer) async throws(HistoryError) {
    do {
      try await store.writer().write(author: "widget", context: "shown") { transaction in
        try transaction.run("UPDATE tasks SET shown = shown + 1")
      }
    } catch let error as HistoryError {
      throw error
    } catch {
      throw HistoryError(.temporary, "\(error)", cause: error)
    }
  }
}
