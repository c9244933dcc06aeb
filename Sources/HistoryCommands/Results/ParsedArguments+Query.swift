import HistoryModel

/// What the commands that take a query have in common.
extension ParsedArguments {
  /// The query.
  var query: String {
    get throws(HistoryError) {
      guard let query = value("query") else {
        throw HistoryError(
          .usage, "\(command.name) needs a query",
          hint: "add --query 'SELECT …', one statement that reads")
      }
      return query
    }
  }

  /// The values of its parameters.
  var bindings: QueryArguments {
    get throws(HistoryError) {
      var named: [String: StoredValue] = [:]
      for text in values("bind") {
        guard let (name, value) = QueryArguments.assignment(typed: text) else {
          throw HistoryError(
            .usage, "--bind takes NAME=VALUE", hint: "such as --bind done=0, or --bind title=milk")
        }
        named[name] = value
      }
      return QueryArguments([], named: named)
    }
  }
}
