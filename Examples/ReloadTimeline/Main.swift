import ExampleStage

/// An app, its widget and an intent: three processes that share a store.
@main
struct ReloadTimeline {
  static func main() async {
    await Stage.play(
      Tasks.first + "; PRAGMA user_version = 1", rounds: 3,
      roles: ["widget": TasksWidget.render, "intent": AddTaskIntent.perform],
      App.run)
  }
}
