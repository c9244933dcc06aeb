import HTTPServer
import HistoryModel
import HistoryObservation

/// What a browser asks for at `/events`: the fields of `subscribe`, as query parameters.
struct EventQuery {
  /// The database that is meant; nil where it was left out.
  let database: String?
  /// What is wanted.
  let request: StreamRequest
  /// The consumer to go on from.
  let consumer: String?

  private static let lists: Set<String> = ["table", "op", "author", "not-author"]

  /// Reads the query of a request.
  ///
  /// - Parameter request: The request, whose `Last-Event-ID` wins over `since` and `consumer`: a browser that
  ///   comes back still has them in its address, and a consumer may not have been moved yet to what it has.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `usage` or `invalidToken`.
  init(_ request: HTTPRequest) throws(HistoryError) {
    var fields = RequestFields(JSONObject(try Self.members(request)))
    database = try fields.text("database")
    let consumer = try fields.text("consumer")
    var stream = try StreamRequest(&fields)
    try fields.finish()
    if let last = request.header("last-event-id"), !last.isEmpty {
      stream.since = .after(try HistoryToken(last))
      self.consumer = nil
    } else {
      self.consumer = consumer
    }
    self.request = stream
  }

  /// The parameters of a request as the members of an object.
  static func members(
    _ request: HTTPRequest
  ) throws(HistoryError) -> [JSONObject.Member] {
    var members: [JSONObject.Member] = []
    for field in request.query where !members.contains(where: { $0.name == field.name }) {
      let values = request.values(of: field.name)
      guard values.count == 1 || lists.contains(field.name) else {
        throw .field(field.name, "one value")
      }
      members.append(.init(name: field.name, value: try value(field.name, values)))
    }
    return members
  }

  private static func value(
    _ name: String, _ values: [String]
  ) throws(HistoryError) -> JSONValue {
    if lists.contains(name) { return .array(values.map { .string($0) }) }
    let text = values[0]
    switch name {
    case "limit":
      guard let number = Int64(text) else { throw .field(name, "a whole number") }
      return .integer(number)
    case "no-follow": return .boolean(text.isEmpty || text == "true")
    default: return .string(text)
    }
  }
}
