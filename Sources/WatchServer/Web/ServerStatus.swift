import HTTPServer
import HistoryModel
import HistoryObservation
import HistoryStore

/// What there is to say about all stores and the server at one moment.
struct ServerStatus: Sendable {
  /// One store.
  struct Store: Sendable {
    let path: String
    let report: Result<StoreReport, HistoryError>
  }

  let stores: [Store]
  private let gauges: ServerGauges

  /// Looks at a server.
  init(_ server: WatchServer) async {
    stores = await server.askAll { store in
      do throws(HistoryError) {
        return Store(path: store.path, report: .success(try await store.report()))
      } catch {
        return Store(path: store.path, report: .failure(error))
      }
    }
    gauges = await server.gauges()
  }

  /// As one JSON object.
  var json: [UInt8] {
    var bytes: [UInt8] = []
    let databases = stores.map { store in JSONValue.object(JSONObject(store.members)) }
    let object: JSONValue = ["databases": .array(databases), "server": .object(gauges.object)]
    JSONText.append(object, to: &bytes)
    bytes.append(UInt8(ascii: "\n"))
    return bytes
  }

  /// Whether all stores can be read: 200, else 503 and which one cannot.
  var health: HTTPResponse {
    for store in stores {
      if case .failure(let error) = store.report { return HTTPResponse(error, .unavailable) }
    }
    return .json(Array(#"{"kind":"healthy"}"#.utf8) + [UInt8(ascii: "\n")])
  }
}

extension ServerStatus.Store {
  fileprivate var members: [JSONObject.Member] {
    let name = JSONObject.Member(name: "database", value: .string(path))
    switch report {
    case .success(let report): return [name] + report.members
    case .failure(let error):
      return [
        name,
        .init(
          name: "error",
          value: [
            "code": .string(error.code.description), "message": .string(error.message),
            "reason": error.unavailableReason.map { .string($0.rawValue) } ?? .null,
            "hint": error.hint.map { .string($0) } ?? .null,
          ]),
      ]
    }
  }
}
