extension LineEncoder {
  /// Appends the facts of a query, as a snapshot file holds them.
  ///
  /// - Parameters:
  ///   - rows: The rows, as objects like those of a line.
  ///   - schema: The version of the store's schema; nil where nobody says which it is.
  ///   - token: The position at which the rows were so; nil for a store without a history.
  ///   - time: When they were read.
  /// - Complexity: O(*n*) for *n* bytes written.
  public mutating func facts(
    _ rows: ResultRows, schema: Int?, token: HistoryToken?, at time: CalendarTime
  ) {
    facts(schema, token, time)
    let fields = FieldNames(rows.columns)
    list("rows", rows) { $0.object($1, fields) }
    end()
  }

  /// Appends facts of one's own, as a snapshot file holds them.
  ///
  /// - Parameters:
  ///   - payload: The facts. Real numbers in it must be finite.
  ///   - schema: The version of what the payload is made of.
  ///   - token: The position at which they were so; nil where there is no history.
  ///   - time: When they were found.
  /// - Complexity: O(*n*) for *n* bytes written.
  public mutating func facts(
    payload: JSONValue, schema: Int?, token: HistoryToken?, at time: CalendarTime
  ) {
    facts(schema, token, time)
    text(#","payload":"#)
    JSONText.append(payload, to: &bytes)
    end()
  }

  private mutating func facts(_ schema: Int?, _ token: HistoryToken?, _ time: CalendarTime) {
    text(#"{"format":1,"schema":"#)
    if let schema { JSONText.append(Int64(schema), to: &bytes) } else { text("null") }
    if let token { field("token", token) } else { text(#","token":null"#) }
    text(#","generatedAt":""#)
    time.append(to: &bytes)
    text("\"")
  }
}
