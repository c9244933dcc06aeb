/// What a tracked table looked like when its capture was made, and where its values stand.
///
/// Every captured change names the shape it was written under, so that it can be read for ever,
/// whatever becomes of the table.
public final class TableShape: Sendable {
  /// A column of the table.
  public struct Column: Sendable, Hashable {
    /// The name as the schema writes it; `rowid` for the key of a table without a primary key.
    public let name: String
    /// The place in the key, from 0; nil when it is not in the key.
    public let keyPlace: Int?
    /// Whether its affinity is REAL, so that an integer found in it stands for a real.
    public let isReal: Bool
    /// Whether it is part of images; the rowid that stands in for a key is not.
    public let isInImages: Bool

    /// Makes a column.
    ///
    /// - Parameters:
    ///   - name: The name as the schema writes it.
    ///   - keyPlace: The place in the key, from 0.
    ///   - isReal: Whether its affinity is REAL.
    ///   - isInImages: Whether images show it.
    public init(name: String, keyPlace: Int?, isReal: Bool, isInImages: Bool) {
      self.name = name
      self.keyPlace = keyPlace
      self.isReal = isReal
      self.isInImages = isInImages
    }
  }

  /// The number that changes refer to.
  public let identifier: Int64
  /// The table's name.
  public let table: String
  /// How much is captured.
  public let capture: Capture
  /// The captured columns, in the order in which their values are stored.
  public let columns: [Column]
  /// The columns of the table that are not captured, which `--capture keys` has.
  public let otherColumns: [String]
  /// The places of the key columns among ``columns``, in key order.
  public let keyPlaces: [Int]

  /// The places of the columns that images show, in column order.
  public let imagePlaces: [Int]

  /// The names of ``columns``.
  let columnNames: [String]

  /// The table's name as JSON.
  let encodedTable: [UInt8]
  /// The columns' names as JSON.
  let encodedNames: [[UInt8]]
  /// What stands in a change line between its author and its key, by operation.
  let encodedHeads: [[UInt8]]
  /// The columns' names as the first and as a further field of an object.
  let encodedFields: (first: [[UInt8]], further: [[UInt8]])

  /// Makes a shape.
  ///
  /// - Parameters:
  ///   - identifier: The number that changes refer to.
  ///   - table: The table's name.
  ///   - capture: How much is captured.
  ///   - columns: The captured columns in storage order.
  ///   - otherColumns: The names of the table's other columns.
  public init(
    identifier: Int64, table: String, capture: Capture, columns: [Column],
    otherColumns: [String] = []
  ) {
    self.identifier = identifier
    self.table = table
    self.capture = capture
    self.columns = columns
    self.otherColumns = otherColumns
    keyPlaces = columns.indices.filter { columns[$0].keyPlace != nil }
      .sorted { (columns[$0].keyPlace ?? 0) < (columns[$1].keyPlace ?? 0) }
    imagePlaces = columns.indices.filter { columns[$0].isInImages }
    columnNames = columns.map(\.name)
    var output: [UInt8] = []
    JSONText.append(table, to: &output)
    encodedTable = output
    let names = columns.map { column in
      var output: [UInt8] = []
      JSONText.append(column.name, to: &output)
      return output
    }
    encodedNames = names
    encodedFields = (
      names.map { Array("{".utf8) + $0 + Array(":".utf8) },
      names.map { Array(",".utf8) + $0 + Array(":".utf8) }
    )
    let encodedTable = encodedTable
    encodedHeads = Operation.allCases.map { operation in
      Array(#","table":"#.utf8) + encodedTable
        + Array(#","op":"\#(operation.rawValue)","key":"#.utf8)
    }
  }

  /// Whether the rowid stands in for a key that the table does not have.
  public var isKeyedByRowID: Bool { columns.contains { !$0.isInImages } }
}
