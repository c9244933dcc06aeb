extension JSONText {
  /// Appends a JSON value, without any space and with members in their order.
  ///
  /// Reading it gives the same value to the last bit.
  ///
  /// - Parameters:
  ///   - value: What to write. Its real numbers must be finite.
  ///   - output: Where to write it.
  /// - Complexity: O(*n*) for *n* bytes written.
  public static func append(_ value: JSONValue, to output: inout [UInt8]) {
    switch value {
    case .null: output.append(contentsOf: "null".utf8)
    case .boolean(let x): output.append(contentsOf: (x ? "true" : "false").utf8)
    case .integer(let x): append(x, to: &output)
    case .real(let x):
      precondition(x.isFinite, "JSON has no number for that.")
      output.append(contentsOf: x.description.utf8)
    case .outsized(let text): output.append(contentsOf: text.utf8)
    case .string(let x): append(x, to: &output)
    case .array(let elements):
      output.append(UInt8(ascii: "["))
      for (place, element) in elements.enumerated() {
        if place > 0 { output.append(UInt8(ascii: ",")) }
        append(element, to: &output)
      }
      output.append(UInt8(ascii: "]"))
    case .object(let object):
      output.append(UInt8(ascii: "{"))
      for (place, member) in object.enumerated() {
        if place > 0 { output.append(UInt8(ascii: ",")) }
        append(member.name, to: &output)
        output.append(UInt8(ascii: ":"))
        append(member.value, to: &output)
      }
      output.append(UInt8(ascii: "}"))
    }
  }
}
