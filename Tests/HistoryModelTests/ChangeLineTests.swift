import HistoryModel
import Testing

/// The lines of changes and rows, to the letter.
@Suite("Change lines")
struct ChangeLineTests {
  private static let record = TransactionRecord(number: 12, author: "widget", isTagged: true)

  @Test(
    "an insert, an update and a delete under each capture",
    arguments: [
      (
        .keys,
        [
          #""op":"insert","key":{"id":7}"#, #""op":"update","key":{"id":7}"#,
          #""op":"delete","key":{"id":7}"#,
        ]
      ),
      (
        .changes,
        [
          #""op":"insert","key":{"id":7},"after":{"id":7,"done":1,"title":"b"}"#,
          #""op":"update","key":{"id":7},"changed":["done"],"before":{"done":0},"after":{"done":1}"#,
          #""op":"delete","key":{"id":7},"before":{"id":7,"done":0,"title":"b"}"#,
        ]
      ),
      (
        .full,
        [
          #""op":"insert","key":{"id":7},"after":{"id":7,"done":1,"title":"b"}"#,
          #""op":"update","key":{"id":7},"changed":["done"],"#
            + #""before":{"id":7,"done":0,"title":"b"},"after":{"id":7,"done":1,"title":"b"}"#,
          #""op":"delete","key":{"id":7},"before":{"id":7,"done":0,"title":"b"}"#,
        ]
      ),
    ] as [(Capture, [String])])
  func captures(capture: Capture, fields: [String]) {
    let shape = Self.shape(capture)
    let buffer = Self.buffer([7, 1, "b", 7, 0, "b"])
    let changes = [
      RecordedChange(shape: shape, operation: .insert, after: 0, before: nil),
      RecordedChange(shape: shape, operation: .update, after: 0, before: 3),
      RecordedChange(shape: shape, operation: .delete, after: nil, before: 3),
    ]
    for (change, expected) in zip(changes, fields) {
      #expect(
        LineEncoderTests.line { $0.change(change, in: buffer, index: 4, of: Self.record) }
          == #"{"kind":"change","transaction":12,"index":4,"author":"widget","table":"tasks","#
          + expected + "}\n")
    }
  }

  @Test("a change of the key shows the old key and the new value")
  func keyChange() {
    let change = RecordedChange(
      shape: Self.shape(.changes), operation: .update, after: 0, before: 3)
    let buffer = Self.buffer([8, nil, nil, 7, nil, nil])
    #expect(
      Self.line(change, buffer)
        == #""op":"update","key":{"id":7},"changed":["id"],"before":{"id":7},"after":{"id":8}}"#)
  }

  @Test("a change to or from NULL is a change, and so is one of storage class or sign of zero")
  func exactChange() {
    let change = RecordedChange(
      shape: Self.shape(.changes), operation: .update, after: 0, before: 3)
    #expect(
      Self.line(change, Self.buffer([7, -0.0, nil, 7, 0.0, "a"]))
        == #""op":"update","key":{"id":7},"changed":["done","title"],"#
        + #""before":{"done":0.0,"title":"a"},"after":{"done":-0.0,"title":null}}"#)
    #expect(
      Self.line(change, Self.buffer([7, 1.0, "A", 7, 1, "a"]))
        == #""op":"update","key":{"id":7},"changed":["done","title"],"#
        + #""before":{"done":1,"title":"a"},"after":{"done":1.0,"title":"A"}}"#)
  }

  @Test("a composite key is in key order, columns in column order, names escaped")
  func composite() {
    let shape = TableShape(
      identifier: 1, table: "a \"t\"\n", capture: .changes,
      columns: [
        Self.column("x\"", 1), Self.column("y\\"), Self.column("é", 0),
      ])
    let change = RecordedChange(shape: shape, operation: .insert, after: 0, before: nil)
    #expect(
      LineEncoderTests.line {
        $0.change(change, in: Self.buffer([1, 2, 3]), index: 0, of: TransactionRecord(number: 1))
      }
        == #"{"kind":"change","transaction":1,"index":0,"author":null,"table":"a \"t\"\n","#
        + #""op":"insert","key":{"é":3,"x\"":1},"after":{"x\"":1,"y\\":2,"é":3}}"# + "\n")
  }

  @Test("a rowid that stands in for a key is in no image")
  func rowID() {
    let shape = TableShape(
      identifier: 1, table: "t", capture: .full,
      columns: [
        TableShape.Column(name: "rowid", keyPlace: 0, isReal: false, isInImages: false),
        Self.column("a"),
      ])
    #expect(shape.isKeyedByRowID)
    let buffer = Self.buffer([5, 1, 5, 2])
    let change = RecordedChange(shape: shape, operation: .update, after: 0, before: 2)
    #expect(
      Self.line(change, buffer)
        == #""op":"update","key":{"rowid":5},"changed":["a"],"before":{"a":2},"after":{"a":1}}"#)
    #expect(
      LineEncoderTests.line { $0.row(2, of: shape, in: buffer) }
        == #"{"kind":"row","table":"t","key":{"rowid":5},"values":{"a":2}}"# + "\n")
  }

  @Test("an update captured in full that changed nothing in images has empty lists")
  func nothingChanged() {
    let change = RecordedChange(
      shape: Self.shape(.changes), operation: .update, after: 0, before: 0)
    #expect(
      Self.line(change, Self.buffer([7, 1, "b"]))
        == #""op":"update","key":{"id":7},"changed":[],"before":{},"after":{}}"#)
  }

  @Test("a row of a snapshot")
  func row() {
    #expect(
      LineEncoderTests.line {
        $0.row(0, of: Self.shape(.full), in: Self.buffer([7, nil, .blob([1])]))
      }
        == #"{"kind":"row","table":"tasks","key":{"id":7},"#
        + #""values":{"id":7,"done":null,"title":{"$blob":"AQ=="}}}"# + "\n")
  }

  @Test("inside a grouped transaction a change is its line without the line's end")
  func object() {
    let change = RecordedChange(
      shape: Self.shape(.changes), operation: .delete, after: nil, before: 0)
    let buffer = Self.buffer([7, 1, "b"])
    let object = LineEncoder.object(change, in: buffer, index: 2, of: Self.record)
    #expect(
      String(decoding: object, as: UTF8.self) + "\n"
        == LineEncoderTests.line { $0.change(change, in: buffer, index: 2, of: Self.record) })
  }

  /// A change's line from `op` on.
  private static func line(_ change: RecordedChange, _ buffer: CellBuffer) -> String {
    let head =
      #"{"kind":"change","transaction":12,"index":0,"author":"widget","table":"\#(change.shape.table)","#
    let line = LineEncoderTests.line { $0.change(change, in: buffer, index: 0, of: record) }
    return line.hasPrefix(head) ? String(line.dropFirst(head.count).dropLast()) : line
  }

  private static func shape(_ capture: Capture) -> TableShape {
    TableShape(
      identifier: 1, table: "tasks", capture: capture,
      columns: [column("id", 0), column("done"), column("title")])
  }

  private static func column(_ name: String, _ keyPlace: Int? = nil) -> TableShape.Column {
    TableShape.Column(name: name, keyPlace: keyPlace, isReal: false, isInImages: true)
  }

  private static func buffer(_ values: [StoredValue]) -> CellBuffer {
    var buffer = CellBuffer()
    for value in values { buffer.append(value) }
    return buffer
  }
}
