package import HistoryModel
package import HistoryObservation

/// What a client asks of the server in one line.
package struct WatchRequest: Sendable {
  /// What is wanted.
  package enum Operation: Sendable {
    /// Who answers, and where the history stands.
    case hello
    /// Whether anybody answers.
    case ping
    /// What the store and the server are doing.
    case status
    /// To be told what is committed.
    case subscribe(name: String, StreamRequest, consumer: String?)
    /// To be told when to refresh.
    case reloads(name: String, timelines: [String], since: HistoryToken?)
    /// To be told the rows of a query, and what changes in them.
    case results(name: String, ResultsRequest, isFollowing: Bool)
    /// To be told no more.
    case unsubscribe(name: String)
    /// To move a consumer on.
    case acknowledge(consumer: String, HistoryToken)
    /// To be told once a position has been read.
    case wait(HistoryToken, timeout: Duration?)
  }

  /// The names of the operations.
  package static let operations = [
    "acknowledge", "hello", "ping", "results", "status", "subscribe", "unsubscribe", "wait",
  ]
  /// How many bytes a request may have.
  package static let sizeLimit = 64 << 10
  /// How long a query may run: all other clients wait meanwhile.
  static let queryLimit = Duration.seconds(1)
  /// How many bytes the name of a subscription and the mark of a request may have.
  static let nameLimit = 64

  /// What goes into each line that answers it.
  package let envelope: RequestEnvelope
  /// The database that is meant; nil where it was left out.
  package let database: String?
  /// What is wanted.
  package let operation: Operation
}

/// What of a request is repeated in its answers, as far as it could be read.
package struct RequestEnvelope: Sendable, Equatable {
  /// The client's own mark, as JSON.
  package var request: JSONValue?
  /// The name of the operation.
  package var operation: String?
  /// The name of the subscription.
  package var subscription: String?

  /// What could be read.
  package init(
    request: JSONValue? = nil, operation: String? = nil, subscription: String? = nil
  ) {
    self.request = request
    self.operation = operation
    self.subscription = subscription
  }
}

extension WatchRequest {
  /// A request that cannot be done, with what could be read of it.
  package struct Refusal: Error {
    /// What to repeat in the answer.
    package let envelope: RequestEnvelope
    /// What is wrong.
    package let error: HistoryError
  }

  /// Reads a request.
  ///
  /// - Parameter line: The line without its end.
  /// - Throws: ``Refusal``.
  /// - Complexity: O(*n*) for *n* bytes.
  package init(line: ArraySlice<UInt8>) throws(Refusal) {
    var envelope = RequestEnvelope()
    do throws(HistoryError) {
      let object = try Self.object(line)
      envelope.request = try Self.mark(object)
      var fields = RequestFields(object)
      let name = try fields.requiredText("operation")
      guard Self.operations.contains(name) else {
        let nearest = NearestWord.of(name, among: Self.operations)
        throw HistoryError(
          .usage, "there is no operation \(RequestFields.quoted(name))",
          hint: nearest.map { "did you mean \"\($0)\"?" } ?? .seeProtocol)
      }
      envelope.operation = name
      fields.skipMark()
      if let subscription = object["subscription"]?.string, Self.isShort(subscription) {
        envelope.subscription = subscription
      }
      database = try fields.text("database")
      operation = try Self.operation(name, &fields)
      try fields.finish()
      self.envelope = envelope
    } catch {
      throw Refusal(envelope: envelope, error: error)
    }
  }

  private static func object(_ line: ArraySlice<UInt8>) throws(HistoryError) -> JSONObject {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: line, limits: .init(depth: 8, bytes: sizeLimit))
    } catch {
      throw HistoryError(
        .usage, "the line is not JSON: column \(error.position.column): \(error.reason)",
        hint: .seeProtocol, cause: error)
    }
    guard let object = value.object else {
      throw HistoryError(.usage, "a request is a JSON object", hint: .seeProtocol)
    }
    return object
  }

  private static func mark(_ object: JSONObject) throws(HistoryError) -> JSONValue? {
    switch object["request"] {
    case nil, .null: return nil
    case .integer(let number): return .integer(number)
    case .string(let text) where text.utf8.count <= nameLimit: return .string(text)
    default: throw .field("request", "an integer, or a string of at most \(nameLimit) bytes")
    }
  }

  private static func isShort(_ name: String) -> Bool { 1...nameLimit ~= name.utf8.count }

  private static func operation(
    _ name: String, _ fields: inout RequestFields
  ) throws(HistoryError) -> Operation {
    switch name {
    case "ping": return .ping
    case "status": return .status
    case "subscribe": return try subscribe(&fields)
    case "results": return try results(&fields)
    case "unsubscribe": return .unsubscribe(name: try subscription(&fields))
    case "acknowledge":
      let consumer = try fields.requiredText("consumer")
      return .acknowledge(consumer: consumer, try requiredToken(&fields))
    case "wait":
      return .wait(try requiredToken(&fields), timeout: try fields.duration("timeout"))
    default: return .hello
    }
  }

  private static func requiredToken(
    _ fields: inout RequestFields
  ) throws(HistoryError) -> HistoryToken {
    try HistoryToken(printed: fields.requiredText("token"))
  }

  private static func subscription(
    _ fields: inout RequestFields
  ) throws(HistoryError) -> String {
    let name = try fields.requiredText("subscription")
    guard isShort(name) else { throw .field("subscription", "1 to \(nameLimit) bytes") }
    return name
  }

  private static func subscribe(_ fields: inout RequestFields) throws(HistoryError) -> Operation {
    let name = try subscription(&fields)
    let timelines = try fields.texts("timeline")
    guard timelines.isEmpty else {
      return .reloads(name: name, timelines: timelines, since: try fields.token("since"))
    }
    let request = try StreamRequest(&fields)
    return .subscribe(name: name, request, consumer: try fields.text("consumer"))
  }

  private static func results(_ fields: inout RequestFields) throws(HistoryError) -> Operation {
    let name = try subscription(&fields)
    let query = try fields.requiredText("query")
    let request = ResultsRequest(
      query: query, arguments: QueryArguments([], named: try fields.values("bind")),
      key: try fields.texts("key"), section: try fields.text("section"), timeLimit: queryLimit)
    return .results(name: name, request, isFollowing: try !fields.flag("no-follow"))
  }
}
