import ExampleStage

/// An app, its widget and an intent: three processes that share a store.
@main
struct ReloadTimeline {
  private static let schema =
    "CREATE TABLE tasks(id INTEGER PRIMARY KEY, title TEXT, shown INTEGER NOT NULL DEFAULT 0)"

  static func main() async {
    await Stage.play(
      schema, rounds: 3, roles: ["widget": TasksWidget.render, "intent": AddTaskIntent.perform],
      App.run)
  }
}
