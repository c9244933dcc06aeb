package import HistoryModel

/// Where a relay's stream is: `nats://HOST[:PORT][,HOST[:PORT]…]/STREAM`.
package struct RelayAddress: Hashable, Sendable {
  /// The servers, each as the client library takes it, with the user's name and password.
  package let servers: [String]
  /// The servers without them, for people.
  package let hosts: String
  /// The stream's name.
  package let stream: String
  /// Whether the connection is encrypted.
  package let isSecure: Bool

  /// Whether a text looks like one, and not like a path.
  package static func isOne(_ text: String) -> Bool {
    text.hasPrefix("nats://") || text.hasPrefix("tls://")
  }

  /// Reads an address.
  ///
  /// - Parameters:
  ///   - text: The address as given.
  ///   - option: The option it was given with, for the message.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `usage`, which never shows the password.
  package init(_ text: String, for option: String) throws(HistoryError) {
    guard Self.isOne(text), let start = text.firstRange(of: "://")?.upperBound else {
      throw .notAnAddress(option)
    }
    let scheme = text[..<start]
    isSecure = scheme == "tls://"
    var rest = text[start...]
    var user: Substring = ""
    if let at = rest.lastIndex(of: "@") {
      user = rest[...at]
      rest = rest[rest.index(after: at)...]
    }
    guard let slash = rest.firstIndex(of: "/") else { throw .notAnAddress(option) }
    let name = rest[rest.index(after: slash)...]
    let list = rest[..<slash].split(separator: ",", omittingEmptySubsequences: false)
    guard !name.isEmpty, name.allSatisfy(Self.isAllowed), !list.contains(where: \.isEmpty) else {
      throw .notAnAddress(option)
    }
    stream = String(name)
    hosts = list.joined(separator: ",")
    servers = list.map { "\(scheme)\(user)\($0)" }
  }

  /// What a stream's name, or a part of a subject, may be made of.
  package static func isAllowed(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || "-_".contains(character))
  }
}

extension HistoryError {
  fileprivate static func notAnAddress(_ option: String) -> HistoryError {
    HistoryError(
      .usage, "\(option) takes nats://HOST[:PORT]/STREAM, also with tls://",
      hint: "the stream's name has letters, digits, - and _ only")
  }
}
