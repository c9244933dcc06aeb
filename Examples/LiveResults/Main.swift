import ExampleStage
import HistoryKit

/// A row of the table.
struct Player: Decodable, Sendable {
  var name: String
  var points: Int
}

/// A table in the terminal that changes while a Python program writes.
@main
struct LiveResults {
  private static let schema =
    "CREATE TABLE players(name TEXT PRIMARY KEY, points INTEGER NOT NULL)"

  static func main() async {
    await Stage.play(schema, rounds: 40) { stage in
      let store = try ObservedStore(path: stage.database)
      let leaders = try await ResultsObserver<Player>(
        store: store, query: "SELECT name, points FROM players ORDER BY points DESC, name LIMIT 5",
        key: ["name"])

      let (changes, continuation) = AsyncStream.makeStream(of: ResultsDifference.self)
      let observation = leaders.observe { continuation.yield($0) }
      let games = Task {
        // Whatever becomes of the games, nobody waits for more of them.
        defer { continuation.finish() }
        for try await line in stage.python("games.py", "\(stage.rounds)") { print(line) }
        // Python gave us no token. All that it committed comes before the head.
        try await leaders.waitUntil(store.state().head)
        observation.cancel()
      }

      var count = 0
      for await change in changes {
        count += 1
        Table.show(leaders.results, after: change)
      }
      try await games.value
      guard let leader = leaders.results.first else { return }
      print(
        "\(stage.rounds) games, \(count) changes,",
        "\(leader.name) leads with \(leader.points) points")
    }
  }
}
