public import HistoryModel

/// What there is to say about a store at one moment, for `status`.
public struct StoreReport: Sendable {
  /// The database's path, as it was given.
  public let path: String
  /// The identity and both ends of the history.
  public let state: StoreState
  /// The tables that are captured.
  public let tables: [TableStatus]
  /// The consumers.
  public let consumers: [ConsumerPosition]
  /// How large the history is.
  public let size: HistorySize
  /// Which file it is.
  public let file: StoreFile
  /// For which schema it is ready, as JSON: null until whoever can tell has said so.
  package var ready = JSONValue.null

  /// Looks at a store.
  ///
  /// - Parameter store: The store.
  /// - Throws: ``/HistoryModel/HistoryError`` when it cannot be read.
  /// - Complexity: O(*s* + *c* log *h*) for *s* objects in the schema, *c* consumers and *h* rows of
  ///   history.
  public init(_ store: TrackedStore) throws(HistoryError) {
    path = store.path
    state = try store.state()
    tables = try store.tables(isThorough: true)
    consumers = try Consumers(store).list()
    size = try store.size()
    file = try StoreFile(store)
  }

  /// The report as the members of a JSON object, in the order of the contract.
  public var members: [JSONObject.Member] {
    let tables = tables.map { table in
      JSONValue.object(
        JSONObject([
          .init(name: "table", value: .string(table.table)),
          .init(name: "capture", value: .string(table.capture.rawValue)),
          .init(name: "drift", value: .array(table.drift.map { .string($0) })),
        ]))
    }
    let consumers = consumers.map { consumer in
      JSONValue.object(
        JSONObject([
          .init(name: "name", value: .string(consumer.name)),
          .init(name: "token", value: .string(consumer.token.description)),
          .init(name: "lag", value: .integer(consumer.lag)),
        ]))
    }
    return [
      .init(name: "store", value: .string(state.storeIdentifier.description)),
      .init(name: "epoch", value: .integer(Int64(state.epoch))),
      .init(name: "head", value: .string(state.head.description)),
      .init(name: "oldest", value: .string(state.oldest.description)),
      .init(name: "tables", value: .array(tables)),
      .init(name: "consumers", value: .array(consumers)),
      .init(name: "size", value: .integer(size.bytes)),
      .init(name: "ready", value: ready), .init(name: "file", value: file.json),
    ]
  }
}
