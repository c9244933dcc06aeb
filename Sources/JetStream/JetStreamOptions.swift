#if NATS
  package import HistoryModel
  package import HistorySync

  /// Which stream of which servers, and how to come in.
  package struct JetStreamOptions: Sendable {
    /// The servers and the stream.
    package var address: RelayAddress
    /// What the subject of each store begins with.
    package var prefix: String
    /// A file with the user's credentials, as `nsc` makes them.
    package var credentials: String?
    /// With how many replicas to create the stream when it does not exist; nil when it must exist.
    package var replicas: Int?

    package init(address: RelayAddress, prefix: String) {
      self.address = address
      self.prefix = prefix
    }

    /// The subject of a store.
    package func subject(of store: StoreIdentifier) -> String { "\(prefix).\(store)" }

    /// Whether a subject filter of a stream lets a subject in.
    package static func matches(_ filter: String, _ subject: String) -> Bool {
      let pattern = filter.split(separator: ".")
      let parts = subject.split(separator: ".")
      for (place, token) in pattern.enumerated() {
        if token == ">" { return parts.count > place }
        guard place < parts.count, token == "*" || token == parts[place] else { return false }
      }
      return pattern.count == parts.count
    }
  }
#endif
