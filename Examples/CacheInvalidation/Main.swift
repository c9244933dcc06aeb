import ExampleStage
import HistoryKit

/// A cache in Swift of what a web server in Python changes.
@main
struct CacheInvalidation {
  private static let schema = """
    CREATE TABLE products(id INTEGER PRIMARY KEY, name TEXT, price INTEGER);
    INSERT INTO products(name, price)
    VALUES ('apple', 0), ('bread', 0), ('cheese', 0), ('dates', 0), ('eggs', 0), ('figs', 0),
      ('grapes', 0), ('honey', 0), ('ice', 0), ('jam', 0)
    """

  static func main() async {
    await Stage.play(schema, rounds: 50) { stage in
      let store = try ObservedStore(path: stage.database)
      let cache = try await ProductCache(store)
      let following = Task { try await cache.follow() }
      defer { following.cancel() }

      var stale = 0
      for try await line in stage.python("shop.py", "\(stage.rounds)") {
        let answer = line.split(separator: " ").compactMap { Int($0) }
        // Whoever saw the answer of the server reads nothing that is older.
        let head = try await store.state().head
        let product = try await cache.product(answer[0], asOf: head)
        if product.map({ $0.price < answer[1] }) ?? true { stale += 1 }
        // Everybody else reads what is kept.
        for id in 1...10 { _ = try await cache.product(id) }
      }
      let counts = await cache.counts
      print("\(counts.asked) products asked for, \(counts.read) of them read from the store")
      print("\(stage.rounds) changes, \(stale) of them missed")
    }
  }
}
