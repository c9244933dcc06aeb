import ExampleStage
import HistoryKit

/// Who writes reads what it wrote: here and from another process, by waiting for positions and
/// never for a while.
@main
struct ReadYourWrites {
  private static let schema = "CREATE TABLE notes(id INTEGER PRIMARY KEY, text TEXT)"

  static func main() async {
    await Stage.play(schema, rounds: 10, roles: ["writer": write]) { stage in
      let store = try ObservedStore(path: stage.database)
      let notes = try await ResultsObserver<String>(store: store, query: "SELECT text FROM notes")
      var found = 0
      var early = 0

      for round in 1...stage.rounds {
        // When a write in this process returns, everybody who observes in it has been told.
        let here = "here \(round)"
        try await store.write(author: "app") { transaction in
          try transaction.run("INSERT INTO notes(text) VALUES (?)", .text(here))
        }
        if notes.results.contains(here) { found += 1 }

        // What another process wrote may be known here or not yet: its token says what to wait for.
        let elsewhere = "elsewhere \(round)"
        for try await line in stage.process("writer", elsewhere) {
          let token = try HistoryToken(line)
          if !notes.results.contains(elsewhere) { early += 1 }
          try await notes.waitUntil(token)
          if notes.results.contains(elsewhere) { found += 1 }
        }
      }
      print("\(early) of \(stage.rounds) writes from elsewhere had to be waited for")
      print("\(found) of \(2 * stage.rounds) writes were read back")
    }
  }

  /// The other process: writes notes and prints the position after each.
  @Sendable
  private static func write(to database: String, _ texts: [String]) async throws {
    let writer = try StoreWriter(path: database)
    for text in texts {
      let token = try await writer.write(author: "writer") { transaction in
        try transaction.run("INSERT INTO notes(text) VALUES (?)", .text(text))
      }
      print(token)
    }
  }
}
