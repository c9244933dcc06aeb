import HistoryModel

/// Rows in the form in which lines show them, to be kept and read again.
enum WireRow {
  static func append(_ row: StoredRow?, to output: inout [UInt8]) {
    guard let row else {
      output += "null".utf8
      return
    }
    output.append(UInt8(ascii: "{"))
    for (place, name) in row.columns.enumerated() {
      if place > 0 { output.append(UInt8(ascii: ",")) }
      JSONText.append(name, to: &output)
      output.append(UInt8(ascii: ":"))
      append(row[place], to: &output)
    }
    output.append(UInt8(ascii: "}"))
  }

  static func append(_ value: StoredValue, to output: inout [UInt8]) {
    var buffer = CellBuffer()
    buffer.append(value)
    JSONText.append(buffer.cells[0], of: buffer, to: &output)
  }

  /// Values as a JSON array.
  static func text(_ values: [StoredValue]) -> String {
    var output = [UInt8(ascii: "[")]
    for (place, value) in values.enumerated() {
      if place > 0 { output.append(UInt8(ascii: ",")) }
      append(value, to: &output)
    }
    output.append(UInt8(ascii: "]"))
    return String(decoding: output, as: UTF8.self)
  }

  /// Reads what ``text(_:)`` wrote; nil when it is something else.
  static func values(_ text: String) -> [StoredValue]? {
    // It was written here, so it is as long as rows are.
    guard
      let array = try? JSONValue(
        parsing: Array(text.utf8)[...], limits: .init(depth: 8, bytes: .max)
      ).array
    else { return nil }
    var values: [StoredValue] = []
    for element in array {
      guard let value = StoredValue(wire: element) else { return nil }
      values.append(value)
    }
    return values
  }
}
