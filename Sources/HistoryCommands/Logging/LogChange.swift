import HistoryModel

/// One change as the log shows it: what it was made to, and what it made of it.
struct LogChange: Sendable {
  /// How many columns are shown of a change; the rest is counted.
  private static let shownColumns = 8
  /// How many columns of a terminal a value may take, a name, and a table or a key.
  private static let valueWidth = 32
  private static let nameWidth = 24
  private static let keyWidth = 32

  /// A column that matters, and what became of it.
  private struct Item: Sendable {
    let name: String
    /// The value before, of an update.
    let before: String?
    let value: String
  }

  /// Sign, table and key.
  let subject: StyledText
  /// The columns that matter.
  private var items: [Item] = []
  /// How many more there are.
  private var hidden = 0
  /// The table and the columns, to know what lines up with what.
  private var names: [String]
  private let style: TerminalStyle

  /// Takes from a change what is to be shown of it.
  init(_ change: RecordedChange, in values: CellBuffer, _ layout: LogLayout) {
    let shape = change.shape
    style = layout.style
    names = [shape.table]
    let key = shape.keyPlaces.map {
      LogValue(values.value(at: change.keyRow + $0)).text.cut(to: Self.keyWidth)
    }.joined(separator: ", ")
    let table = PrintableText.line(shape.table).cut(to: Self.keyWidth)
    subject = StyledText(
      "\(layout.sign(change.operation)) \(table) \(key)".cut(to: layout.width / 2 - 4)
    ) { layout.paint($0, change.operation) }
    guard shape.capture != .keys else { return }
    let places: [Int]
    if change.operation == .update {
      places = shape.columns.indices.filter { change.differs(at: $0, in: values) }
    } else {
      // What the key says already, and what says nothing, would only take up room.
      places = shape.imagePlaces.filter {
        shape.columns[$0].keyPlace == nil && !values.value(at: change.keyRow + $0).isNull
      }
    }
    for place in places.prefix(Self.shownColumns) {
      let name = PrintableText.line(shape.columns[place].name)
      let row = change.after ?? change.before ?? 0
      let before = change.operation == .update ? change.before : nil
      names.append(name)
      items.append(
        Item(
          name: name, before: before.map { LogValue(values.value(at: $0 + place)).text },
          value: LogValue(values.value(at: row + place)).text))
    }
    hidden = max(0, places.count - Self.shownColumns)
  }

  /// Names and values, each no wider than the room there is.
  func cells(room: Int) -> [StyledText] {
    items.map { item in
      let name = item.name.cut(to: min(Self.nameWidth, room / 2))
      var cell = StyledText(name, style.dim)
      let rest = room - cell.width - 1
      if let before = item.before {
        let (old, new) = Self.pair(before, item.value, room: rest - 3)
        cell += " \(old) → \(new)"
      } else {
        cell += " " + item.value.cut(to: min(Self.valueWidth, rest))
      }
      return cell
    }
  }

  /// An old and a new value: of long texts that begin alike, the part where they differ.
  private static func pair(_ before: String, _ after: String, room: Int) -> (String, String) {
    let isLong = max(before.terminalWidth, after.terminalWidth) > min(valueWidth, room / 2)
    let common = before.commonPrefix(with: after).count
    guard isLong, common > 12 else { return halves(before, after, room: room) }
    return halves(
      "…" + before.dropFirst(common - 6), "…" + after.dropFirst(common - 6), room: room)
  }

  /// Two values in one room: what one of them does not need is the other's.
  private static func halves(_ a: String, _ b: String, room: Int) -> (String, String) {
    let old = a.cut(to: min(valueWidth, max(room / 2, room - b.terminalWidth)))
    return (old, b.cut(to: min(valueWidth, room - old.terminalWidth)))
  }

  /// The lines of the change.
  ///
  /// - Parameters:
  ///   - cells: Its cells, as ``cells(room:)`` gives them, perhaps made wider.
  ///   - column: Where the values begin, the same for all changes of an entry.
  ///   - width: How wide the lines may be.
  /// - Returns: At least one line.
  func lines(of cells: [StyledText], at column: Int, width: Int) -> [String] {
    var lines: [StyledText] = []
    var line = StyledText("  ")
    line += subject
    line = line.padded(to: column)
    var isFresh = true
    var rest = cells
    if hidden > 0 {
      rest.append(StyledText("and \(hidden) more column\(hidden == 1 ? "" : "s")", style.dim))
    }
    for cell in rest {
      if !isFresh && line.width + 2 + cell.width > width {
        lines.append(line)
        line = StyledText(String(repeating: " ", count: column))
        isFresh = true
      }
      if !isFresh { line += "  " }
      line += cell
      isFresh = false
    }
    return (lines + [line]).map { $0.text.trimmingEnd }
  }

  /// Makes the cells of neighbouring changes line up.
  ///
  /// Neighbours are changes that show the same columns of the same table. Where the wider cells do
  /// not fit on one line, each keeps its width.
  ///
  /// - Parameters:
  ///   - cells: The cells of each change.
  ///   - changes: The changes, in order.
  ///   - room: How wide all cells of a change may be.
  static func align(_ cells: inout [[StyledText]], of changes: [LogChange], room: Int) {
    var start = 0
    while start < changes.count {
      var end = start + 1
      while end < changes.count, changes[end].names == changes[start].names { end += 1 }
      let widest = cells[start].indices.map { cell in
        cells[start..<end].map { $0[cell].width }.max() ?? 0
      }
      if widest.reduce(0, +) + 2 * (widest.count - 1) <= room {
        for place in start..<end {
          cells[place] = zip(cells[place], widest).map { $0.padded(to: $1) }
        }
      }
      start = end
    }
  }
}

extension String {
  fileprivate func commonPrefix(with other: String) -> Substring {
    self[..<(zip(indices, other).first { self[$0] != $1 }?.0 ?? endIndex)]
  }

  /// The text without blanks at its end.
  fileprivate var trimmingEnd: String {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
