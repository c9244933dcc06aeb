import ExampleStage
import HistoryKit

/// The process that owns the store, and has the widget rendered anew when somebody else changed
/// what it shows.
enum App {
  static func run(on stage: Stage) async throws {
    // The widget was started before the app: the store is an older app's, and is not opened.
    for try await line in stage.process("widget") { print(line) }

    let container = try await StoreContainer.owner(
      at: stage.database, plan: Tasks.plan(), options: MigrationOptions(writer: "app"))
    print("app: schema \(container.migration?.from ?? 0) became \(container.schema)")
    let store = try ObservedStore(path: stage.database)

    // What the widget shows is on the disk before it is asked to show it.
    let snapshots = try SnapshotWriter<Tasks.Facts>(
      path: Tasks.facts(of: stage.database), schema: Tasks.schema, like: stage.database
    ) {
      try await store.read { view in
        let titles = try view.rows("SELECT title FROM tasks ORDER BY id")
          .map { try $0.decode(String.self) }
        return (Tasks.Facts(open: titles), view.token)
      }
    }

    // The widget writes too: how often it showed a task. That is no reason to render it again.
    let kind = TimelineKind(TasksWidget.kind, tables: ["tasks"], ignoringAuthors: ["widget"])
    let (reloads, continuation) = AsyncStream.makeStream(of: Reload.self)
    let reloader = try await TimelineReloader(store: store, kinds: [kind]) { reload in
      _ = try await snapshots.write()
      for try await line in stage.process("widget") { print(line) }
      continuation.yield(reload)
    }

    var reloaded = reloads.makeAsyncIterator()
    var echoes = 0
    var count = 0
    for number in 1...stage.rounds {
      for try await line in stage.process("intent", "task \(number)") {
        print("intent: added task \(number)")
        // The widget shows the task once a reload has covered the position after it.
        let token = try HistoryToken(line)
        while let reload = await reloaded.next() {
          count += 1
          if reload.range.authors.contains("widget") { echoes += 1 }
          if reload.range.until >= token { break }
        }
      }
    }

    // Everything that the widget wrote is known here by now. Did any of it call for a reload? Then
    // that is the reason of the next one, and not that it was asked for.
    try await store.waitUntil(store.state().head)
    try await reloader.reloadTimelines(ofKind: TasksWidget.kind)
    if await reloaded.next()?.reason != .requested { echoes += 1 }
    try await reloader.stop()
    await snapshots.stop()
    print("\(stage.rounds) intents, \(count) reloads, \(echoes) echoes")
  }
}
