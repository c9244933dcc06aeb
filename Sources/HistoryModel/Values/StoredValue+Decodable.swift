extension StoredValue: Decodable {
  /// Takes the value of a column as it is.
  ///
  /// Formats that know fewer kinds of values, such as JSON, cannot be decoded to one: they do not
  /// tell 1 from 1.0, nor text from a blob.
  ///
  /// - Parameter decoder: The decoder of a ``StoredRow``.
  /// - Throws: `DecodingError` for any other decoder.
  public init(from decoder: any Decoder) throws {
    switch decoder {
    case let column as StoredValueDecoder:
      self = column.value
    case let row as StoredRowDecoder where row.row.count == 1:
      self = row.row[0]
    default:
      throw DecodingError.typeMismatch(
        StoredValue.self,
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "A stored value is decoded from one column of a row only."))
    }
  }
}
