package import HistoryModel

extension ChangeFilter {
  /// Why words are no filter.
  package enum Fault: Error {
    /// One stands for no operation.
    case operation
    /// Every author is left out again: nothing can pass, and one would wait for ever.
    case authors
  }

  /// Reads a filter that was written as words, in options or in the fields of a request.
  ///
  /// - Parameters:
  ///   - tables: Names of tables.
  ///   - operations: `insert`, `update` or `delete`.
  ///   - authors: Names of authors; the empty name stands for no author.
  ///   - excludedAuthors: Those that are left out, written as the others.
  /// - Throws: What is wrong with them.
  package init(
    tables: [String], operations: [String], authors: [String], excludedAuthors: [String]
  ) throws(Fault) {
    var wanted: Set<HistoryModel.Operation> = []
    for word in operations {
      guard let operation = HistoryModel.Operation(rawValue: word) else { throw .operation }
      wanted.insert(operation)
    }
    func names(_ words: [String]) -> Set<String?> { Set(words.map { $0.isEmpty ? nil : $0 }) }
    self.init(
      tables: tables, operations: wanted, authors: names(authors),
      excludedAuthors: names(excludedAuthors))
    if leavesOutEveryAuthor { throw .authors }
  }

  /// Whether the authors that are wanted are all left out again.
  package var leavesOutEveryAuthor: Bool {
    !authors.isEmpty && authors.isSubset(of: excludedAuthors)
  }
}
