package import HistoryModel

/// The lines between two positions of the history.
package struct LinePage: Sendable {
  /// The position that they follow.
  package let since: HistoryToken
  /// The position that they lead to: behind the last boundary nothing up to here matched.
  package let until: HistoryToken
  /// The lines.
  package let lines: EncodedLines
  /// Whether transactions were passed over at the end because nothing in them matched.
  package let hasPassedOver: Bool
  /// What is told in them of capture that has no position yet.
  package let drift: [CaptureNotice]

  /// The lines behind a position between two transactions.
  ///
  /// - Parameter position: The position.
  /// - Returns: Nil where it is no such position, so that the page does not say what follows it.
  /// - Complexity: O(1) where it is the page's beginning, else O(*n*) for *n* bytes.
  package func after(_ position: HistoryToken) -> LinePage? {
    if position == since { return self }
    if position == until { return part(after: lines.ends.count, since: until) }
    guard let boundary = lines.boundaries.last(where: { $0.token == position }) else { return nil }
    return part(after: boundary.lines, since: position)
  }

  private func part(after count: Int, since position: HistoryToken) -> LinePage {
    LinePage(
      since: position, until: until, lines: lines.suffix(after: count),
      hasPassedOver: hasPassedOver, drift: drift)
  }

  /// The lines up to and with some transactions.
  ///
  /// - Parameter count: How many transactions, at least one.
  /// - Returns: The page; the whole one where it has no more transactions.
  /// - Complexity: O(*n*) for *n* bytes.
  package func prefix(transactions count: Int) -> LinePage {
    let commits = lines.boundaries.filter(\.isCommit)
    guard count > 0, count <= commits.count else { return self }
    let last = commits[count - 1]
    return LinePage(
      since: since, until: last.token, lines: lines.prefix(last.lines), hasPassedOver: false,
      drift: drift)
  }
}
