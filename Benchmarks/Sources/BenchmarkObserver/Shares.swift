import HistoryKit

/// Commits as an application does, and notes which of some queries each commit made run.
struct Shares {
  private let path: String
  private let commits: Int

  /// What reads what.
  private static let queries: [(name: String, sql: String)] = [
    ("a table", "SELECT * FROM tasks ORDER BY id"),
    ("a column", "SELECT id, title FROM tasks ORDER BY id"),
    ("a row", "SELECT * FROM tasks WHERE id = 7"),
    ("a row's column", "SELECT title FROM tasks WHERE id = 7"),
    ("another table", "SELECT * FROM settings"),
  ]

  init(path: String, _ arguments: Arguments) {
    self.path = path
    commits = arguments.number("commits", default: 1000)
  }

  /// Prints what was read, how many commits made the query run, and how many changed its rows.
  func run() async throws {
    let store = try ObservedStore(path: path)
    var observers: [ResultsObserver<StoredRow>] = []
    for query in Self.queries {
      observers.append(try await ResultsObserver(store: store, query: query.sql))
    }
    var runs = [Int](repeating: 0, count: observers.count)
    var changes = runs
    var differences = observers.map(\.lastDifference)
    for number in 0..<commits {
      let token = try await store.write(author: "benchmark") {
        try $0.run(Self.statement(number))
      }
      for (place, observer) in observers.enumerated() {
        // Its position is that of its last run.
        if observer.token == token { runs[place] += 1 }
        if observer.lastDifference != differences[place] {
          changes[place] += 1
          differences[place] = observer.lastDifference
        }
      }
    }
    for (place, query) in Self.queries.enumerated() {
      print(query.name, runs[place], changes[place], separator: ",")
    }
  }

  /// Of a hundred commits: 60 change a number in one of 100 rows, 15 a title, 10 insert, 5 delete
  /// what was inserted, and 10 write to two other tables.
  private static func statement(_ number: Int) -> String {
    // Each run is alike.
    let row = (number &* 7919) % 100 + 1
    switch number % 20 {
    case 0..<12:
      return "UPDATE tasks SET priority = priority + 1 WHERE id = \(row)"
    case 12..<15:
      return "UPDATE tasks SET title = 'title \(number)' WHERE id = \(row)"
    case 15, 16:
      return "INSERT INTO tasks(id, title) VALUES(\(100_000 + number), 'new')"
    case 17:
      return "DELETE FROM tasks WHERE id = \(100_000 + number - 2)"
    case 18:
      return "INSERT OR REPLACE INTO settings VALUES('place', \(number))"
    default:
      return "INSERT INTO visits(at) VALUES(\(number))"
    }
  }
}
