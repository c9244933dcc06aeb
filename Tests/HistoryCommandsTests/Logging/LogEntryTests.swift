import HistoryModel
import Testing

@testable import HistoryCommands

@Suite("An entry of the log")
struct LogEntryTests {
  private static let now = CalendarTime(milliseconds: 1_796_019_931_000)
  private var layout = LogLayout(style: .plain, width: 80, now: now)

  /// A table with the columns named, the first of which is the key.
  private func shape(_ columns: String..., capture: Capture = .changes) -> TableShape {
    TableShape(
      identifier: 1, table: "tasks", capture: capture,
      columns: columns.enumerated().map { place, name in
        TableShape.Column(
          name: name, keyPlace: place == 0 ? 0 : nil, isReal: false, isInImages: true)
      })
  }

  /// An entry of changes, each of a row before and a row after it.
  private func text(
    _ shape: TableShape, _ changes: [(before: [StoredValue]?, after: [StoredValue]?)],
    author: String? = "app", context: String? = nil
  ) -> [String] {
    var entry = LogEntry(layout)
    for (before, after) in changes {
      var values = CellBuffer()
      for value in (before ?? []) + (after ?? []) { values.append(value) }
      let operation: HistoryModel.Operation =
        before == nil ? .insert : after == nil ? .delete : .update
      entry.add(
        RecordedChange(
          shape: shape, operation: operation, after: after == nil ? nil : before?.count ?? 0,
          before: before == nil ? nil : 0), in: values)
    }
    let record = TransactionRecord(
      number: 1, author: author, context: context, isTagged: author != nil,
      timestamp: CalendarTime(milliseconds: Self.now.milliseconds - 180_000))
    let lines = entry.text(of: record).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.suffix(2) == ["", ""])
    return lines.dropLast(2).map(String.init)
  }

  @Test("a transaction without a change says so")
  func empty() {
    #expect(text(shape("id"), []).first?.hasPrefix("app  3 minutes ago  changed nothing  ") == true)
  }

  @Test("author, time, tables, context and changes")
  func whole() {
    let lines = text(
      shape("id", "title", "done"),
      [
        (nil, [7, "buy milk", 0]), (nil, [12, "call Ada", nil]), ([7, "a", 0], [7, "a", 1]),
        ([12, "b", 0], nil),
      ], context: "from the lock screen")
    #expect(
      lines == [
        "app  3 minutes ago  tasks +2 ~1 -1  2026-11-30 06:22:31 UTC",
        "  from the lock screen",
        "  + tasks 7   title \"buy milk\"  done 0",
        "  + tasks 12  title \"call Ada\"",
        "  ~ tasks 7   done 0 → 1",
        "  - tasks 12  title \"b\"  done 0",
      ])
  }

  @Test("values of neighbouring changes line up")
  func aligned() {
    let lines = text(
      shape("id", "title", "done"), [(nil, [1, "short", 0]), (nil, [2, "rather longer", 1])])
    #expect(
      lines.dropFirst() == [
        "  + tasks 1  title \"short\"          done 0",
        "  + tasks 2  title \"rather longer\"  done 1",
      ])
  }

  @Test("an untagged entry says so, and without images only keys are shown")
  func keys() {
    let lines = text(shape("id", capture: .keys), [(nil, [1])], author: nil)
    #expect(lines[0].hasPrefix("untagged  3 minutes ago  tasks +1"))
    #expect(lines[1] == "  + tasks 1")
  }

  @Test("long values are cut, and of long texts that begin alike the difference is shown")
  func long() {
    let text = String(repeating: "once upon a time ", count: 20)
    let shape = shape("id", "story")
    let inserted = self.text(shape, [(nil, [1, .text(text)])])[1]
    #expect(inserted == "  + tasks 1  story \"once upon a time once upon a t…")
    let updated = self.text(
      shape, [([1, .text(text + "well")], [1, .text(text + "badly")])])[1]
    #expect(updated == "  ~ tasks 1  story … time well\" → … time badly\"")
  }

  @Test("values that are no text have their own form")
  func values() {
    let blob = StoredValue.blob([1, 2, 3])
    let lines = text(
      shape("id", "a", "b", "c", "d"),
      [(nil, [1, blob, .malformedText([0xFF]), 1.5, "two\nlines\u{1B}[31m"])])
    #expect(
      lines.dropFirst().joined(separator: "\n") == """
          + tasks 1  a blob of 3 bytes  b text of 1 byte, not UTF-8  c 1.5
                     d "two lines\u{FFFD}[31m"
        """)
  }

  @Test("of a wide table eight columns are shown, and of many changes eight")
  func wide() {
    let wide = TableShape(
      identifier: 1, table: "wide", capture: .changes,
      columns: (0..<20).map {
        TableShape.Column(
          name: "c\($0)", keyPlace: $0 == 0 ? 0 : nil, isReal: false, isInImages: true)
      })
    let row = (0..<20).map { StoredValue.integer($0) }
    let lines = text(wide, [(nil, row)])
    #expect(lines.last?.hasSuffix("and 11 more columns") == true)
    #expect(lines.allSatisfy { $0.terminalWidth <= 80 })
    let many = text(wide, Array(repeating: (nil, row), count: 10))
    #expect(many.last == "  … and 2 more changes")
  }

  @Test("no line is wider than it may be", arguments: [60, 80, 100])
  func width(width: Int) {
    var test = self
    test.layout = LogLayout(style: .plain, width: width, now: Self.now)
    let long = StoredValue.text(String(repeating: "日本語 and English ", count: 20))
    let shape = TableShape(
      identifier: 1, table: "a_table_with_quite_a_long_name", capture: .changes,
      columns: ["id", "a_column_with_quite_a_long_name_as_well", "b"].enumerated().map {
        TableShape.Column(
          name: $1, keyPlace: $0 == 0 ? 0 : nil, isReal: false, isInImages: true)
      })
    let lines = test.text(
      shape, [(nil, [long, long, long]), ([1, "a", 1], [1, long, long])],
      author: "an author with a name that is longer than most", context: "said at length " + "so ")
    #expect(lines.count >= 4)
    #expect(lines.allSatisfy { $0.terminalWidth <= width }, "\(lines)")
  }
}
