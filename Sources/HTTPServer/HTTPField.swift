/// A name and its value: of a header, or of a query.
package struct HTTPField: Hashable, Sendable {
  /// The name; of a request's header in lower case.
  package let name: String
  /// The value.
  package let value: String

  /// Makes a field.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - value: The value.
  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}
