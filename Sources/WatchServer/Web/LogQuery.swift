import HTTPServer
import HistoryModel
import HistoryObservation

/// What a browser asks for at `/log`: what happened last, or what happened before that.
struct LogQuery {
  /// The database that is meant; nil where it was left out.
  let database: String?
  /// Which changes are wanted.
  let filter: ChangeFilter
  /// How many lines at most.
  let limit: Int
  /// The token of a line, whose predecessors are wanted; nil for the newest lines.
  let before: HistoryToken?

  /// The most lines that one answer has.
  static let mostLines = 500

  /// Reads the query of a request.
  ///
  /// - Parameter request: The request.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `usage` or `invalidToken`.
  init(_ request: HTTPRequest) throws(HistoryError) {
    var fields = RequestFields(JSONObject(try EventQuery.members(request)))
    database = try fields.text("database")
    limit = min(try fields.count("limit") ?? 100, Self.mostLines)
    before = try fields.token("before")
    filter = try StreamRequest.filter(
      tables: fields.texts("table"), operations: fields.texts("op"),
      authors: fields.texts("author"), excludedAuthors: fields.texts("not-author"))
    try fields.finish()
  }
}
