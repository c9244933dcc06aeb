import HistoryModel
import SQLite

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Runs one statement many times on one database and says how long that took.
///
/// A parameter `?1` is the row's number, `?2` a short text made of it, `?3` a real. They are made
/// before the clock starts, and nothing is read back, so that what is timed is SQLite's work. Time is
/// the process's own processor time: on a database in memory nothing waits, and what other
/// processes do at the same time is not counted.
struct Workload {
  /// How the statement is run.
  enum Mode: String {
    /// Prepared once, each run a transaction of its own.
    case commits
    /// Prepared once, all runs in one transaction.
    case batch
    /// Compiled anew each time, all in one transaction: what shells and dumps do.
    case compile
    /// Compiled anew each time and not run at all.
    case prepare
    /// Run once, in a transaction of its own.
    case once
  }

  var mode: Mode
  var sql: String
  var count: Int
  /// What is run before the clock starts.
  var before: String?
  var synchronous: String
  /// A second statement that each transaction runs after the first, with the same parameters.
  var also: String?

  /// Runs it once.
  ///
  /// - Parameter path: The database.
  /// - Returns: Nanoseconds.
  /// - Throws: What SQLite said.
  func run(at path: String) throws -> Int64 {
    let connection = try Connection(path: path)
    try connection.execute("PRAGMA synchronous = \(synchronous); SELECT 1 FROM sqlite_schema")
    if let before { try connection.execute(before) }
    let rows: [[StoredValue]] = (1...count).map { number in
      [.integer(Int64(number)), .text("title \(number)"), .real(Double(number) / 8)]
    }
    let start: Int64
    switch mode {
    case .commits, .batch:
      let statements = try [sql, also].compactMap { $0 }.map { try connection.prepare($0) }
      let begin = try connection.prepare("BEGIN IMMEDIATE")
      let commit = try connection.prepare("COMMIT")
      let isEach = mode == .commits && statements.count > 1
      start = Self.processorTime()
      if mode == .batch { try begin.run() }
      for row in rows {
        if isEach { try begin.run() }
        for statement in statements {
          for index in 1...3 where index <= statement.parameterCount {
            try statement.bind(row[index - 1], at: index)
          }
          try statement.run()
        }
        if isEach { try commit.run() }
      }
      if mode == .batch { try commit.run() }
    case .compile:
      let texts = literals()
      start = Self.processorTime()
      try connection.execute("BEGIN IMMEDIATE")
      for text in texts { try connection.prepare(text).run() }
      try connection.execute("COMMIT")
    case .prepare:
      start = Self.processorTime()
      for _ in 1...count { _ = try connection.prepare(sql) }
    case .once:
      let statement = try connection.prepare(sql)
      start = Self.processorTime()
      try statement.run()
    }
    return Self.processorTime() - start
  }

  /// The processor time that this process has used, in nanoseconds.
  static func processorTime() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// The statement with literals in place of its parameters.
  private func literals() -> [String] {
    let parts = sql.split(separator: "?", omittingEmptySubsequences: false)
    return (1...count).map { number in
      parts.dropFirst().reduce(String(parts[0])) { text, part in
        let value =
          switch part.first {
          case "1": "\(number)"
          case "2": "'title \(number)'"
          default: "\(Double(number) / 8)"
          }
        return text + value + part.dropFirst()
      }
    }
  }
}

extension Duration {
  /// The whole of it, in nanoseconds.
  var nanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}
