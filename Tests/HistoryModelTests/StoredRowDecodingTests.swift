import HistoryModel
import Testing

@Suite("Decoding of rows")
struct StoredRowDecodingTests {
  private struct Item: Decodable, Equatable {
    var id: Int
    var title: String
    var isDone: Bool
    var due: String?
    var missing: Int?
    var weight: Double
    private enum CodingKeys: String, CodingKey {
      case id, title, due, missing, weight
      case isDone = "is_done"
    }
  }

  private enum State: String, Decodable { case open, closed }

  private struct Name: Decodable, Equatable {
    let text: String
    init(from decoder: any Decoder) throws {
      text = try decoder.singleValueContainer().decode(String.self)
    }
  }

  /// Reads itself as Foundation's `Data` does.
  private struct Bytes: Decodable, Equatable {
    var bytes: [UInt8] = []
    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      let count = container.count ?? 0
      for _ in 0..<count { bytes.append(try container.decode(UInt8.self)) }
      #expect(container.isAtEnd)
    }
  }

  @Test("columns are found by name in any case of ASCII letters; NULL and absence are nil")
  func item() throws {
    let row: StoredRow = [
      "ID": 7, "Title": "a", "is_done": 1, "due": nil, "weight": 2, "further": .blob([1]),
    ]
    #expect(
      try row.decode(Item.self)
        == Item(id: 7, title: "a", isDone: true, due: nil, missing: nil, weight: 2))
  }

  @Test("of two columns with one name the first is taken")
  func duplicates() throws {
    struct One: Decodable { var a: Int }
    #expect(try (["a": 1, "a": 2] as StoredRow).decode(One.self).a == 1)
  }

  @Test("integers of every width take what fits, and nothing else")
  func integers() throws {
    func check<T: FixedWidthInteger & Decodable>(_ type: T.Type) throws {
      #expect(try (["a": 100] as StoredRow).decode([String: T].self) == ["a": 100])
      #expect(try (["a": 100] as StoredRow).decode(T.self) == 100)
      #expect(throws: DecodingError.self) { try (["a": 1.0] as StoredRow).decode(T.self) }
      #expect(throws: DecodingError.self) { try (["a": "1"] as StoredRow).decode(T.self) }
      if Int64(exactly: T.max) == nil || T.max < Int64.max {
        let over: StoredRow = ["a": T.isSigned ? .integer(Int64(clamping: T.max)) : -1]
        if T.isSigned {
          #expect(try over.decode(T.self) == T(clamping: Int64.max))
        } else {
          #expect(throws: DecodingError.self) { try over.decode(T.self) }
        }
      }
      if T.bitWidth < 64 {
        #expect(throws: DecodingError.self) {
          try (["a": 1_000_000_000_000] as StoredRow).decode(T.self)
        }
      }
    }
    try check(Int.self)
    try check(Int64.self)
    try check(Int32.self)
    try check(Int16.self)
    try check(Int8.self)
    try check(UInt.self)
    try check(UInt64.self)
    try check(UInt32.self)
    try check(UInt16.self)
    try check(UInt8.self)
    try check(Int128.self)
    try check(UInt128.self)
  }

  @Test("numbers with a point take integers that they hold exactly")
  func reals() throws {
    struct Both: Decodable { var d: Double, f: Float }
    let both = try (["d": 0.1, "f": 0.1] as StoredRow).decode(Both.self)
    #expect(both.d == 0.1 && both.f == 0.1)
    #expect(try (["d": 3] as StoredRow).decode(Double.self) == 3)
    #expect(try (["d": 3] as StoredRow).decode(Float.self) == 3)
    #expect(throws: DecodingError.self) {
      try (["d": 9_007_199_254_740_993] as StoredRow).decode(Double.self)
    }
    #expect(throws: DecodingError.self) { try (["d": "3"] as StoredRow).decode(Float.self) }
    #expect(throws: DecodingError.self) { try (["d": 1e300] as StoredRow).decode(Float.self) }
    #expect(try (["d": .real(.infinity)] as StoredRow).decode(Float.self) == .infinity)
  }

  @Test("truth is 0 or 1")
  func truth() throws {
    #expect(try (["b": 0] as StoredRow).decode(Bool.self) == false)
    #expect(throws: DecodingError.self) { try (["b": 2] as StoredRow).decode(Bool.self) }
  }

  @Test("types of a single value are decoded from a column, optional or not")
  func single() throws {
    struct Row: Decodable { var state: State, name: Name, none: State?, some: Name? }
    let row = try (["state": "open", "name": "n", "none": nil, "some": "s"] as StoredRow)
      .decode(Row.self)
    #expect(row.state == .open && row.name.text == "n" && row.none == nil && row.some?.text == "s")
    #expect(try (["x": "closed"] as StoredRow).decode(State.self) == .closed)
    #expect(try (["x": nil] as StoredRow).decode(Int?.self) == nil)
    #expect(try (["x": 1] as StoredRow).decode(Int?.self) == 1)
    #expect(throws: DecodingError.self) { try (["x": "1"] as StoredRow).decode(Int?.self) }
    #expect(throws: DecodingError.self) { try (["x": 1, "y": 2] as StoredRow).decode(Int.self) }
  }

  @Test("bytes come from a BLOB, stored values as they are")
  func bytes() throws {
    struct Row: Decodable { var a: [UInt8], b: Bytes, c: StoredValue, d: StoredValue, e: [UInt8]? }
    let row = try
      ([
        "a": .blob([1, 2]), "b": .blob([3]), "c": .malformedText([0xff]), "d": nil, "e": nil,
      ] as StoredRow).decode(Row.self)
    #expect(row.a == [1, 2] && row.b.bytes == [3] && row.e == nil)
    #expect(row.c == .malformedText([0xff]) && row.d == nil)
    #expect(try (["b": .blob([])] as StoredRow).decode(Bytes.self).bytes == [])
    #expect(throws: DecodingError.self) { try (["b": "text"] as StoredRow).decode(Bytes.self) }
    #expect(throws: DecodingError.self) { try (["b": .blob([1])] as StoredRow).decode([Int].self) }
    #expect(throws: DecodingError.self) { try (["b": .blob([1])] as StoredRow).decode(Item.self) }
  }

  @Test("a row of one column that a type refuses is not quoted either")
  func singleColumn() throws {
    struct Wrapped: Decodable { var state: State }
    struct Quoting: Decodable {
      init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "no \(text)"))
      }
    }
    let row: StoredRow = ["state": "4711 secret"]
    for type in [State.self, Wrapped.self, Quoting.self, [State].self] as [any Decodable.Type] {
      let error = #expect(throws: DecodingError.self) { try row.decode(type) }
      #expect(!String(reflecting: error).contains("4711"))
    }
  }

  @Test(
    "an error has the path to the column, and never the value",
    arguments: ["state", "id", "name", "bytes", "nested"])
  func errors(column: String) throws {
    struct Nested: Decodable { var x: Int }
    struct Row: Decodable {
      var state: State?, id: Int?, name: Name?, bytes: [UInt8]?, nested: Nested?
    }
    let secret: StoredValue = column == "name" ? 4711 : "4711 secret"
    let row: StoredRow =
      switch column {
      case "state": ["state": secret]
      case "id": ["id": secret]
      case "name": ["name": secret]
      case "bytes": ["bytes": secret]
      default: ["nested": secret]
      }
    let error = #expect(throws: DecodingError.self) { try row.decode(Row.self) }
    guard case .typeMismatch(_, let context) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(context.codingPath.map(\.stringValue) == [column])
    #expect(!String(reflecting: error).contains("4711"))
    #expect(context.debugDescription.hasPrefix("The column holds "))
  }

  @Test("a column that is missing, and NULL where there must be a value, are told apart")
  func missing() {
    struct Row: Decodable { var a: Int }
    let missing = #expect(throws: DecodingError.self) {
      try (["b": 1, "c": 1] as StoredRow).decode(Row.self)
    }
    let null = #expect(throws: DecodingError.self) {
      try (["a": nil, "b": 1] as StoredRow).decode(Row.self)
    }
    guard case .keyNotFound = missing, case .valueNotFound = null else {
      Issue.record("\(String(describing: missing)) \(String(describing: null))")
      return
    }
  }

  @Test("an error of the type's own is kept as the cause")
  func ownError() {
    struct Mine: Error {}
    struct Row: Decodable {
      init(from decoder: any Decoder) throws { throw Mine() }
    }
    let error = #expect(throws: DecodingError.self) {
      try (["a": 1, "b": 2] as StoredRow).decode(Row.self)
    }
    guard case .dataCorrupted(let context) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(context.underlyingError is Mine)
  }
}
