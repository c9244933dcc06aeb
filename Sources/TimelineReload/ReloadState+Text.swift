import HistoryModel

/// The state as text, which people may read too:
///
/// ```
/// historywatch-run 1
/// token hw1.…
/// tries 2 hw1.…
/// debt reset
/// last 1796019751123
/// day 1796000000000 3
/// end
/// ```
///
/// All lines but the first two and the last may be missing. The last one tells a whole file from one that
/// was cut off, whose missing lines would be missed by nobody.
extension ReloadState {
  /// Why a text is no state.
  enum Flaw: Error, Equatable {
    /// It was written by a version with another format.
    case unknownVersion
    /// It is not what any version writes.
    case damaged
  }

  private static let title = "historywatch-run "
  private static let version = "1"

  /// The text.
  var text: String {
    var lines = [Self.title + Self.version, "token \(token)"]
    if let tries { lines.append("tries \(tries.count) \(tries.until)") }
    if debt != .nothing { lines.append("debt \(debt.rawValue)") }
    if let lastBeginning { lines.append("last \(lastBeginning)") }
    if let day { lines.append("day \(day.start) \(day.runs)") }
    return lines.joined(separator: "\n") + "\nend\n"
  }

  /// Reads a text.
  ///
  /// - Parameter text: What ``text`` gave.
  /// - Throws: ``Flaw`` for anything else.
  init(_ text: String) throws(Flaw) {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
    guard let title = lines.popFirst(), title.hasPrefix(Self.title) else { throw .damaged }
    guard title.dropFirst(Self.title.count) == Self.version else { throw .unknownVersion }
    guard lines.popLast() == "", lines.popLast() == "end" else { throw .damaged }
    var words: [Substring: [Substring]] = [:]
    for line in lines {
      let all = line.split(separator: " ", omittingEmptySubsequences: false)
      guard words.updateValue(Array(all.dropFirst()), forKey: all[0]) == nil else { throw .damaged }
    }
    self.init(at: try Self.token(words.removeValue(forKey: "token")?.only))
    if let tries = words.removeValue(forKey: "tries") {
      guard tries.count == 2, let count = Self.number(tries[0]), count > 0 else { throw .damaged }
      self.tries = Tries(count: count, until: try Self.token(tries[1]))
    }
    if let debt = words.removeValue(forKey: "debt") {
      guard let debt = debt.only.flatMap({ Debt(rawValue: String($0)) }) else { throw .damaged }
      self.debt = debt
    }
    if let last = words.removeValue(forKey: "last") {
      guard let last = last.only.flatMap(Self.number) else { throw .damaged }
      lastBeginning = Int64(last)
    }
    if let day = words.removeValue(forKey: "day") {
      guard day.count == 2, let start = Self.number(day[0]), let runs = Self.number(day[1]) else {
        throw .damaged
      }
      self.day = Day(start: Int64(start), runs: runs)
    }
    guard words.isEmpty else { throw .damaged }
  }

  private static func token(_ text: Substring?) throws(Flaw) -> HistoryToken {
    guard let text, let token = try? HistoryToken(text) else { throw .damaged }
    return token
  }

  /// A number of digits only, and not so many that sums of a few could overflow.
  private static func number(_ text: Substring) -> Int? {
    guard text.utf8.allSatisfy({ 48...57 ~= $0 }), text.utf8.count <= 17 else { return nil }
    return Int(text)
  }
}

extension Array {
  /// The element, if there is exactly one.
  fileprivate var only: Element? { count == 1 ? self[0] : nil }
}
