package import HistoryModel

/// What a feed is asked to keep current.
package struct ResultsRequest: Sendable {
  /// One statement that only reads.
  package var query: String
  /// The values of its parameters.
  package var arguments: QueryArguments
  /// The names of the columns by which rows are told apart.
  package var key: [String]
  /// The name of the column that parts rows into sections.
  package var section: String?
  /// How long the query may run; nil for as long as it does.
  package var timeLimit: Duration?

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - query: One statement that only reads.
  ///   - arguments: The values of its parameters.
  ///   - key: The names of the columns by which rows are told apart.
  ///   - section: The name of the column that parts rows into sections.
  ///   - timeLimit: How long the query may run; nil for as long as it does.
  package init(
    query: String, arguments: QueryArguments = QueryArguments(), key: [String] = [],
    section: String? = nil, timeLimit: Duration? = nil
  ) {
    self.query = query
    self.arguments = arguments
    self.key = key
    self.section = section
    self.timeLimit = timeLimit
  }
}
