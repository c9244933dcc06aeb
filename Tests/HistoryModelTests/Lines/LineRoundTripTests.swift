import Testing

@testable import HistoryModel

@Suite("Lines written and read back")
struct LineRoundTripTests {
  @Test("a change of any table comes back the same, and is written the same", arguments: 0..<20)
  func changes(seed: UInt64) throws {
    var random = Seeded(seed)
    var decoder = LineDecoder()
    for _ in 0..<50 {
      let sample = ChangeSample(&random)
      for _ in 0..<4 {
        let (change, buffer) = sample.change(&random)
        let record = Self.record(&random)
        let index = Int.random(in: 0..<1_000_000, using: &random)
        var encoder = LineEncoder()
        encoder.change(change, in: buffer, index: index, of: record)
        guard case .change(let read) = try decoder.decode(encoder.bytes[...]) else {
          Issue.record("It is a change.")
          return
        }
        #expect(read.transaction == record.number)
        #expect(read.author == record.author)
        let expected = HistoryChange(change, in: StoredRow.Cells(buffer), index: index)
        #expect(read.change == expected)
        var again = LineEncoder()
        again.change(
          read.change.recorded, in: read.change.cells.buffer, index: index, of: record)
        #expect(again.bytes == encoder.bytes)
      }
    }
  }

  @Test("a transaction comes back whole, from one line or from many", arguments: 0..<20)
  func transactions(seed: UInt64) throws {
    var random = Seeded(seed)
    var decoder = LineDecoder()
    var assembler = TransactionAssembler()
    for number in 1..<20 {
      let record = Self.record(&random)
      let token = Self.token(Int64(number))
      var rows = LineEncoder()
      var group: [UInt8] = []
      var collector = TransactionCollector()
      let count = Int.random(in: 1...5, using: &random)
      for index in 0..<count {
        let (change, buffer) = ChangeSample(&random).change(&random)
        collector.append(change, in: buffer, index: index * 2)
        rows.change(change, in: buffer, index: index * 2, of: record)
        if index > 0 { group += ",".utf8 }
        group += LineEncoder.object(change, in: buffer, index: index * 2, of: record)
      }
      collector.commit(record, token: token)
      rows.commit(record, changes: count, token: token)
      var whole = LineEncoder()
      whole.transaction(record, changes: group, token: token)
      let expected = collector.transactions()[0]
      #expect(try decoder.decode(whole.bytes[...]) == .transaction(expected))

      var assembled: HistoryTransaction?
      for line in rows.bytes.split(separator: UInt8(ascii: "\n")) {
        switch try decoder.decode(line) {
        case .change(let change): try assembler.append(change)
        case .commit(let record, let changes, let token):
          assembled = try assembler.commit(record, changes: changes, token: token)
        default: Issue.record("A line of another kind came.")
        }
      }
      #expect(assembled == expected)
      #expect(assembled?.author == record.author)
      #expect(assembled?.timestamp == record.timestamp)
    }
  }

  @Test("every other kind comes back")
  func others() throws {
    let (a, b) = (Self.token(1), Self.token(2))
    let hello = StreamLine.Hello(
      store: a.storeIdentifier, epoch: 3, resume: .continue, token: a, oldest: a, head: b)
    let expiry = StreamLine.Expiry(
      requested: "now \"then\"", oldest: a, head: b, reason: .storeRestored)
    let gone = StreamLine.Expiry(
      requested: "x", oldest: nil, head: nil, reason: .historyDropped)
    let notices: [CaptureNotice.Event] = [
      .schema(.columnsAdded(["a", "b"])), .schema(.columnsRemoved([])),
      .schema(.columnsRenamed(["é"])), .schema(.tableRenamed("u")), .schema(.tableDropped),
      .gap(.captureWasMissing), .gap(.columnsWereNotCaptured), .gap(.rowIDsMayHaveChanged),
      .gap(.migrated),
    ]
    var cases: [(StreamLine, (inout LineEncoder) -> Void)] = [
      (.hello(hello), { $0.hello(.continue, token: a, oldest: a, head: b) }),
      (.bookmark(a), { $0.bookmark(a) }),
      (.snapshotBegin(a, tables: []), { $0.snapshotBegin(a, tables: []) }),
      (
        .snapshotBegin(b, tables: [TableDefinition(table: "é", sql: "CREATE TABLE é(\"\n\")")]),
        {
          $0.snapshotBegin(b, tables: [TableDefinition(table: "é", sql: "CREATE TABLE é(\"\n\")")])
        }
      ),
      (.snapshotEnd(b), { $0.snapshotEnd(b) }),
      (
        .expired(expiry),
        { $0.expired(requested: expiry.requested, oldest: a, head: b, reason: .storeRestored) }
      ),
      (
        .expired(gone),
        { $0.expired(requested: "x", oldest: nil, head: nil, reason: .historyDropped) }
      ),
      (.bye(.init(reason: .end, message: nil, token: a)), { $0.bye(.end, token: a) }),
      (
        .bye(.init(reason: .error, message: "no", token: nil)),
        { $0.bye(.error, message: "no", token: nil) }
      ),
    ]
    for event in notices {
      let notice = CaptureNotice(table: "t", event)
      cases.append((.notice(notice, token: nil), { $0.notice(notice, token: nil) }))
      cases.append((.notice(notice, token: b), { $0.notice(notice, token: b) }))
    }
    for (expected, encode) in cases {
      var encoder = LineEncoder()
      encode(&encoder)
      var decoder = LineDecoder()
      #expect(try decoder.decode(encoder.bytes[...]) == expected)
    }
  }

  @Test("a row of a snapshot comes back", arguments: 0..<20)
  func rows(seed: UInt64) throws {
    var random = Seeded(seed)
    var decoder = LineDecoder()
    let sample = ChangeSample(&random)
    let (_, buffer) = sample.change(&random)
    var encoder = LineEncoder()
    encoder.row(0, of: sample.shape, in: buffer)
    guard case .row(let row) = try decoder.decode(encoder.bytes[...]) else {
      Issue.record("It is a row.")
      return
    }
    let shape = sample.shape
    #expect(row.table == shape.table)
    #expect(row.key.columns == shape.keyPlaces.map { shape.columns[$0].name })
    #expect(row.key.values == shape.keyPlaces.map { buffer.value(at: $0) })
    #expect(row.values.columns == shape.imagePlaces.map { shape.columns[$0].name })
    #expect(row.values.values == shape.imagePlaces.map { buffer.value(at: $0) })
  }

  static func token(_ sequence: Int64) -> HistoryToken {
    HistoryToken(
      storeIdentifier: HistoryTokenTests.store, epoch: 3, sequence: sequence, check: 9)
  }

  private static func record(_ random: inout Seeded) -> TransactionRecord {
    let author = Bool.random(using: &random) ? "a\(random.text())" : nil
    return TransactionRecord(
      number: .random(in: 0...Int64.max, using: &random), author: author,
      context: Bool.random(using: &random) ? random.text() : nil, isTagged: author != nil,
      timestamp: Bool.random(using: &random)
        ? CalendarTime(milliseconds: .random(in: 0...250_000_000_000_000, using: &random)) : nil,
      origin: Bool.random(using: &random) ? HistoryTokenTests.store : nil)
  }
}

/// A table of any form, and changes in it.
struct ChangeSample {
  let shape: TableShape

  init(_ random: inout Seeded) {
    let count = Int.random(in: 1...24, using: &random)
    let keys = (0..<count).shuffled(using: &random)
      .prefix(Int.random(in: 0...count, using: &random))
    var columns = (0..<count).map { place in
      TableShape.Column(
        name: "\(random.text())\(place)", keyPlace: keys.firstIndex(of: place), isReal: false,
        isInImages: true)
    }
    if keys.isEmpty {
      columns.append(.init(name: "rowid", keyPlace: 0, isReal: false, isInImages: false))
    }
    let captures: [Capture] = [.keys, .changes, .full]
    shape = TableShape(
      identifier: 1, table: "t\(random.text())",
      capture: captures[Int.random(in: 0..<3, using: &random)], columns: columns)
  }

  func change(_ random: inout Seeded) -> (RecordedChange, CellBuffer) {
    var buffer = CellBuffer()
    let operation = Operation.allCases[Int.random(in: 0..<3, using: &random)]
    let old = shape.columns.indices.map { _ in random.stored() }
    for value in old { buffer.append(value) }
    for (place, value) in old.enumerated() {
      // An update keeps about half of the columns, and one that is only the key in any case.
      let isKept = !shape.columns[place].isInImages || Bool.random(using: &random)
      buffer.append(isKept ? value : random.stored())
    }
    let change = RecordedChange(
      shape: shape, operation: operation, after: operation == .delete ? nil : shape.columns.count,
      before: operation == .insert ? nil : 0)
    return (change, buffer)
  }
}
