/// The values for the parameters of a query.
///
/// ```swift
/// let first: QueryArguments = ["open", 7]
/// let second: QueryArguments = ["state": "open", "owner": 7]
/// ```
public struct QueryArguments: Sendable, Hashable {
  /// The values by position, from the first parameter on.
  public var positional: [StoredValue]
  /// The values by name, with or without the character that begins it in the query, as in `:name`;
  /// a number names the parameter of that index, from 1.
  public var named: [String: StoredValue]

  /// Makes arguments for a query without parameters.
  public init() { self.init([]) }

  /// Makes arguments.
  ///
  /// - Parameters:
  ///   - positional: The values by position.
  ///   - named: The values by name.
  public init(_ positional: [StoredValue], named: [String: StoredValue] = [:]) {
    self.positional = positional
    self.named = named
  }

  /// Whether there is none.
  public var isEmpty: Bool { positional.isEmpty && named.isEmpty }

  /// Reads what was typed as `NAME=VALUE`.
  ///
  /// - Parameter text: The name, an equals sign, and the value as ``StoredValue/init(typed:)`` reads
  ///   it.
  /// - Returns: The name and the value; nil where there is no name or no equals sign.
  public static func assignment(
    typed text: some StringProtocol
  ) -> (name: String, value: StoredValue)? {
    guard let sign = text.firstIndex(of: "="), sign > text.startIndex else { return nil }
    return (String(text[..<sign]), StoredValue(typed: text[text.index(after: sign)...]))
  }
}

extension QueryArguments: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  /// Values by position.
  public init(arrayLiteral elements: StoredValue...) { self.init(elements) }

  /// Values by name; of two with the same name the last counts.
  public init(dictionaryLiteral elements: (String, StoredValue)...) {
    self.init([], named: Dictionary(elements, uniquingKeysWith: { $1 }))
  }
}
