/// What a client asked for.
package struct HTTPRequest: Hashable, Sendable {
  /// What is answered; everything else is refused before anybody is asked.
  package enum Method: String, Hashable, Sendable {
    case get = "GET"
    /// As ``get``, but the answer's body is left out on its way.
    case head = "HEAD"
  }

  /// What is to be done.
  package let method: Method
  /// The path, percent-decoded, with the slash that it begins with.
  package let path: String
  /// The query's parameters, percent-decoded, in their order; a name may come more than once.
  package let query: [HTTPField]
  /// The headers in their order, names in lower case.
  package let headers: [HTTPField]

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - method: What is to be done.
  ///   - target: What stands in the request line, as it came.
  ///   - headers: The headers; their names are turned to lower case.
  /// - Throws: ``HTTPFault`` if the target is none.
  package init(
    _ method: Method, target: [UInt8], headers: [HTTPField] = []
  ) throws(HTTPFault) {
    let target = try RequestTarget(target)
    self.method = method
    path = target.path
    query = target.query
    self.headers = headers.map { HTTPField($0.name.lowercased(), $0.value) }
  }

  /// The only value of a header.
  ///
  /// - Parameter name: The header's name in lower case.
  /// - Returns: The value; nil if the header is not there, or more than once.
  package func header(_ name: String) -> String? {
    let found = headers.filter { $0.name == name }
    return found.count == 1 ? found.first?.value : nil
  }

  /// Whether a header is there, and how often does not matter.
  ///
  /// - Parameter name: The header's name in lower case.
  /// - Returns: Whether it is.
  package func hasHeader(_ name: String) -> Bool { headers.contains { $0.name == name } }

  /// All values of a parameter of the query, in their order.
  ///
  /// - Parameter name: The parameter's name.
  /// - Returns: The values, none if it is not there.
  package func values(of name: String) -> [String] {
    query.filter { $0.name == name }.map(\.value)
  }
}
