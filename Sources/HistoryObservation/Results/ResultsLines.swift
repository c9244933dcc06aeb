package import HistoryModel

/// Turns the rows of a query into lines, each difference from the rows that were shown before.
package struct ResultsLines {
  /// What was shown last.
  package private(set) var shown: ResultsUpdate?
  private let oldest: HistoryToken

  /// Begins with nothing shown.
  ///
  /// - Parameter oldest: The smallest position that can be read from, for the first line.
  package init(oldest: HistoryToken) { self.oldest = oldest }

  /// Shows newer rows.
  ///
  /// - Parameters:
  ///   - update: The rows.
  ///   - lines: Gets the first rows after a hello, or what changed; nothing where changes cancelled
  ///     each other out.
  /// - Complexity: That of the difference.
  package mutating func show(_ update: ResultsUpdate, in lines: inout LineEncoder) {
    if let shown {
      let difference = ResultsDifference(from: shown.rows, to: update.rows, key: update.key)
      if !difference.isEmpty {
        lines.difference(difference, token: update.token, sections: update.sections)
      }
    } else {
      lines.hello(.new, token: update.token, oldest: oldest, head: update.token)
      lines.results(update.rows, token: update.token, sections: update.sections)
    }
    shown = update
  }
}
