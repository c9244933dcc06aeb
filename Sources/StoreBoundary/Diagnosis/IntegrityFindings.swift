import HistoryModel
import SQLite

/// What `PRAGMA integrity_check` found, without anything that is stored.
///
/// Its sentences are taken apart: only kinds that are known are kept, and names only of tables and
/// indexes that the schema has. Whatever else a sentence holds is dropped.
struct IntegrityFindings {
  /// Findings of one kind.
  struct Finding: Hashable {
    /// What was found, in words of our own.
    let kind: String
    /// The table or index; nil where it is not of one, or not one that the schema has.
    let name: String?
  }

  /// How often each was found, in the order of their first.
  private(set) var findings: [(finding: Finding, count: Int)] = []

  /// The beginnings of SQLite's sentences, and where the name stands in them.
  private static let templates: [(start: String, before: String, kind: String)] = [
    ("row ", " missing from index ", "a row is missing from an index"),
    ("wrong # of entries in index ", "", "an index has too many entries or too few"),
    ("non-unique entry in index ", "", "a unique index has an entry twice"),
    ("NULL value in ", "", "a column that is NOT NULL has a NULL"),
    ("NUMERIC value in ", "", "a value has another type than its column"),
    ("TEXT value in ", "", "a value has another type than its column"),
    ("non-", " value in ", "a value has another type than its column"),
    ("CHECK constraint failed in ", "", "a CHECK constraint does not hold"),
    ("rowid not at end-of-record for row ", " of index ", "an index entry has the wrong rowid"),
    ("Tree ", "", "a page of a table or index is damaged"),
    ("Page ", " is never used", "a page is never used"),
    ("2nd reference to page ", "", "a page is used twice"),
    ("Page ", "", "a page of a table or index is damaged"),
    ("On ", "", "a page of a table or index is damaged"),
    ("Freelist: ", "", "the list of free pages is damaged"),
    ("Main freelist: ", "", "the list of free pages is damaged"),
    ("Outstanding page count ", "", "the list of free pages is damaged"),
  ]
  private static let unknown = "the file is damaged"

  /// Reads what was found.
  ///
  /// - Parameters:
  ///   - texts: The rows of the pragma.
  ///   - connection: A connection to the database, for the names that it has.
  init(_ texts: [String], _ connection: Connection) {
    let names = Set(
      ((try? connection.rows("SELECT name FROM sqlite_schema WHERE type IN ('table', 'index')"))
        ?? []).compactMap { $0[0].text })
    self.init(texts, names: names)
  }

  /// Reads what was found, in a schema that has these tables and indexes.
  init(_ texts: [String], names: Set<String>) {
    for text in texts where text != "ok" {
      for line in text.split(separator: "\n") where !line.hasPrefix("*** in database ") {
        add(Self.finding(String(line), names))
      }
    }
  }

  private mutating func add(_ finding: Finding) {
    if let place = findings.firstIndex(where: { $0.finding == finding }) {
      findings[place].count += 1
    } else {
      findings.append((finding, 1))
    }
  }

  private static func finding(_ line: String, _ names: Set<String>) -> Finding {
    for template in templates where line.hasPrefix(template.start) {
      var rest = line.dropFirst(template.start.count)
      if !template.before.isEmpty {
        guard let end = rest.firstRange(of: template.before)?.upperBound else { continue }
        rest = rest[end...]
      }
      return Finding(kind: template.kind, name: name(String(rest), names))
    }
    return Finding(kind: unknown, name: nil)
  }

  /// The table or index that a text is the name of, or a column of.
  private static func name(_ text: String, _ names: Set<String>) -> String? {
    if names.contains(text) { return text }
    // A table's and its column's name, either of which may have dots in it.
    return names.filter { text.hasPrefix($0 + ".") }.max { $0.utf8.count < $1.utf8.count }
  }

  /// What was found first, in words.
  var sentence: String {
    guard let first = findings.first?.finding else { return Self.unknown }
    return first.name.map { "\(first.kind) (\($0))" } ?? first.kind
  }
}
