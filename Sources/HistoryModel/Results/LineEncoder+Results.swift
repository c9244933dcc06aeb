extension LineEncoder {
  /// Appends the line of the rows that a query gives.
  ///
  /// - Parameters:
  ///   - rows: The rows.
  ///   - token: The position at which they are so.
  ///   - sections: The sections of the rows, where they are wanted.
  /// - Complexity: O(*n*) for *n* bytes written.
  public mutating func results(
    _ rows: ResultRows, token: HistoryToken, sections: [ResultsSection]? = nil
  ) {
    text(#"{"kind":"results""#)
    field("token", token)
    let fields = FieldNames(rows.columns)
    list("rows", rows) { $0.object($1, fields) }
    if let sections { list(sections) }
    end()
  }

  /// Appends the line of what changed in the rows of a query.
  ///
  /// - Parameters:
  ///   - difference: What changed.
  ///   - token: The position at which the new rows are so.
  ///   - sections: The sections of the new rows, where they are wanted.
  /// - Complexity: O(*n*) for *n* bytes written.
  public mutating func difference(
    _ difference: ResultsDifference, token: HistoryToken, sections: [ResultsSection]? = nil
  ) {
    text(#"{"kind":"difference""#)
    field("token", token)
    let fields = FieldNames(difference.columns)
    list("inserted", difference.inserted) { encoder, insertion in
      encoder.index(insertion.index)
      encoder.text(#","row":"#)
      encoder.object(insertion.row, fields)
      encoder.text("}")
    }
    let keyFields = FieldNames(difference.removed.first?.key.columns ?? [])
    list("removed", difference.removed) { encoder, removal in
      encoder.index(removal.index)
      encoder.text(#","key":"#)
      encoder.object(removal.key, keyFields)
      encoder.text("}")
    }
    list("moved", difference.moved) { encoder, move in
      encoder.text(#"{"from":"#)
      JSONText.append(Int64(move.from), to: &encoder.bytes)
      encoder.text(#","to":"#)
      JSONText.append(Int64(move.to), to: &encoder.bytes)
      encoder.text("}")
    }
    list("updated", difference.updated) { encoder, update in
      encoder.index(update.index)
      encoder.text(#","row":"#)
      encoder.object(update.row, fields)
      encoder.list("changed", update.changedColumns) { JSONText.append($1, to: &$0.bytes) }
      encoder.text("}")
    }
    if let sections { list(sections) }
    end()
  }
}

extension LineEncoder {
  /// The names of columns as the fields of an object, encoded once for many rows.
  struct FieldNames {
    let encoded: [[UInt8]]

    init(_ names: [String]) {
      encoded = names.enumerated().map { place, name in
        var output = Array((place == 0 ? "{" : ",").utf8)
        JSONText.append(name, to: &output)
        output.append(UInt8(ascii: ":"))
        return output
      }
    }
  }

  mutating func object(_ row: StoredRow, _ fields: FieldNames) {
    let buffer = row.cells.buffer
    if fields.encoded.isEmpty { text("{") }
    for (place, name) in fields.encoded.enumerated() {
      bytes.append(contentsOf: name)
      JSONText.append(buffer.cells[row.cell(at: place)], of: buffer, to: &bytes)
    }
    text("}")
  }

  private mutating func index(_ index: Int) {
    text(#"{"index":"#)
    JSONText.append(Int64(index), to: &bytes)
  }

  mutating func list<Elements: Sequence>(
    _ name: String, _ elements: Elements,
    _ element: (inout LineEncoder, Elements.Element) -> Void
  ) {
    text(",\"")
    text(name)
    text("\":[")
    var isFirst = true
    for each in elements {
      if !isFirst { text(",") }
      isFirst = false
      element(&self, each)
    }
    text("]")
  }

  private mutating func list(_ sections: [ResultsSection]) {
    list("sections", sections) { encoder, section in
      var buffer = CellBuffer()
      buffer.append(section.value)
      encoder.text(#"{"value":"#)
      JSONText.append(buffer.cells[0], of: buffer, to: &encoder.bytes)
      encoder.text(#","count":"#)
      JSONText.append(Int64(section.range.count), to: &encoder.bytes)
      encoder.text("}")
    }
  }
}
