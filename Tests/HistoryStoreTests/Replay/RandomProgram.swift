import HistoryTestSupport
import HistoryModel
import SQLite

/// Statements made at random on tables of a few columns and a few values, so that they collide.
struct RandomProgram {
  /// A table as far as the generator must know it.
  struct Table: Sendable {
    let name: String
    /// The columns that can be written.
    let columns: [String]
    /// The targets of ON CONFLICT.
    let targets: [String]
    /// The values of columns that cannot take just any.
    var domains: [String: [String]] = [:]
  }

  private let tables: [Table]
  private var generator: SeededGenerator

  init(_ tables: [Table], seed: UInt64) {
    self.tables = tables
    generator = SeededGenerator(seed: seed)
  }

  private mutating func one<T>(of choices: [T]) -> T {
    choices[Int.random(in: 0..<choices.count, using: &generator)]
  }

  /// Whether something that happens so many times of a hundred happens.
  mutating func happens(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &generator) < percent
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &generator)
  }

  private mutating func value() -> String {
    one(of: [
      "1", "2", "3", "4", "5", "1", "2", "3", "'a'", "'A'", "'b'", "NULL", "1.0", "0.0", "-0.0",
      "0",
      "x'61'", "'1'", "9007199254740993", "-9223372036854775808", "''",
    ])
  }

  private mutating func value(of column: String, in table: Table) -> String {
    guard let domain = table.domains[column] else { return value() }
    return happens(90) ? one(of: domain) : value()
  }

  private mutating func condition(_ table: Table) -> String {
    let column = one(of: table.columns)
    switch number(0...5) {
    case 0: return "1"
    case 1: return "\(column) > \(value())"
    case 2: return "\(column) IS \(value())"
    case 3: return "\(column) < \(number(1...6))"
    case 4: return "\(column) IN (\(value()), \(value()), \(value()))"
    default: return "\(column) = \(number(1...6))"
    }
  }

  private mutating func policy() -> String {
    one(of: [
      "", "", " OR REPLACE", " OR REPLACE", " OR IGNORE", " OR FAIL", " OR ABORT", " OR ROLLBACK",
    ])
  }

  private mutating func assignments(_ table: Table) -> String {
    let chosen = table.columns.shuffled(using: &generator).prefix(number(1...2))
    return chosen.map { column in
      switch number(0...3) {
      case 0: "\(column) = \(column) + 1"
      case 1: "\(column) = \(table.columns[number(0...(table.columns.count - 1))])"
      default: "\(column) = \(value(of: column, in: table))"
      }
    }.joined(separator: ", ")
  }

  /// One statement, which may well fail.
  mutating func statement() -> String {
    let table = one(of: tables)
    let columns = table.columns.joined(separator: ", ")
    switch number(0...11) {
    case 0...4:
      let rows = (0..<number(1...3)).map { _ in
        "(" + table.columns.map { value(of: $0, in: table) }.joined(separator: ", ") + ")"
      }.joined(separator: ", ")
      let insert = "INSERT\(policy()) INTO \(table.name)(\(columns)) VALUES \(rows)"
      guard happens(25), !insert.contains(" OR ") else { return insert }
      let target = one(of: table.targets)
      return insert + " ON CONFLICT\(target) DO "
        + (target.isEmpty || happens(30) ? "NOTHING" : "UPDATE SET \(assignments(table))")
    case 5:
      return "INSERT\(policy()) INTO \(table.name)(\(columns)) SELECT \(columns) FROM \(table.name)"
        + " WHERE \(condition(table))"
    case 6...8:
      return "UPDATE\(policy()) \(table.name) SET \(assignments(table)) WHERE \(condition(table))"
    case 9...10: return "DELETE FROM \(table.name) WHERE \(condition(table))"
    default: return one(of: ["SAVEPOINT p", "ROLLBACK TO p", "RELEASE p"])
    }
  }
}
