package import HistoryModel

/// A request as the server reads it: an operation and its fields.
package struct ClientRequest: Sendable {
  private var members: [JSONObject.Member]

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - operation: What is asked for.
  ///   - fields: What belongs to it; those that are nil are left out.
  package init(_ operation: String, _ fields: KeyValuePairs<String, JSONValue?> = [:]) {
    members = [.init(name: "operation", value: .string(operation))]
    for (name, value) in fields { self.add(name, value) }
  }

  /// Adds a field, unless it is nil.
  package mutating func add(_ name: String, _ value: JSONValue?) {
    if let value { members.append(.init(name: name, value: value)) }
  }

  /// Adds what restricts the changes to show.
  package mutating func add(_ filter: ChangeFilter) {
    let authors = { (names: Set<String?>) -> [JSONValue] in
      names.map { $0.map { .string($0) } ?? .null }
    }
    add("table", filter.tables.sorted().map { .string($0) })
    add("op", filter.operations.map(\.rawValue).sorted().map { .string($0) })
    add("author", authors(filter.authors))
    add("not-author", authors(filter.excludedAuthors))
  }

  private mutating func add(_ name: String, _ values: [JSONValue]) {
    if !values.isEmpty { add(name, .array(values)) }
  }

  func append(to bytes: inout [UInt8]) {
    JSONText.append(JSONValue.object(JSONObject(members)), to: &bytes)
    bytes.append(UInt8(ascii: "\n"))
  }
}

extension ClientRequest {
  /// Who answers: sent first, so that a server of another protocol is recognised.
  package static let hello = ClientRequest("hello")

  /// A duration as requests write it, in whole milliseconds, never less than it is.
  package static func text(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let milliseconds = seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return "\(max(0, milliseconds))ms"
  }

  /// A position as requests write it.
  package static func text(_ position: HistoryPosition) -> String {
    switch position {
    case .now: "now"
    case .oldest: "oldest"
    case .after(let token): token.description
    }
  }
}
