/// Says which old row is which new row, by their keys.
struct RowPairing {
  /// The places of the key columns in the old rows; nil for the whole row.
  let oldKey: [Int]?
  /// The old rows without a new one, rising.
  private(set) var removed: [Int] = []
  /// The new rows without an old one, rising.
  private(set) var inserted: [Int] = []
  /// The pairs that change their place among the others, by rising new place.
  private(set) var moved: [(old: Int, new: Int)] = []
  /// The new rows whose values differ from the old ones', rising, and the places that do.
  private(set) var updated: [(place: Int, changed: [Int])] = []

  private let old: ResultRows
  private let new: ResultRows
  private let newKey: [Int]?
  /// For each new column the old one of the same name.
  private let sources: [Int?]
  private let isSameShape: Bool

  init(_ old: ResultRows, _ new: ResultRows, key: [Int], matchLimit: Int) {
    self.old = old
    self.new = new
    isSameShape = old.hasSameColumns(as: new)
    if isSameShape {
      sources = new.columns.indices.map { $0 }
    } else {
      sources = new.columns.map { name in
        old.columns.firstIndex { $0.utf8.elementsEqual(name.utf8) }
      }
    }
    let sources = sources
    newKey = key.isEmpty ? nil : key
    let oldPlaces = key.compactMap { sources[$0] }
    oldKey = key.isEmpty ? nil : oldPlaces
    pair(matchLimit: matchLimit)
  }

  /// Whether rows of both can have the same key at all: the old ones must have its columns, and a
  /// whole row equals only one with the same.
  private var isComparable: Bool {
    newKey == nil ? isSameShape : oldKey?.count == newKey?.count
  }

  private mutating func pair(matchLimit: Int) {
    guard isComparable else {
      removed = Array(old.indices)
      inserted = Array(new.indices)
      return
    }
    let shorter = min(old.count, new.count)
    var head = 0
    while head < shorter, hasSameKey(head, head) { head += 1 }
    var tail = 0
    while tail < shorter - head, hasSameKey(old.count - 1 - tail, new.count - 1 - tail) {
      tail += 1
    }
    var pairs = (0..<head).map { (old: $0, new: $0) }
    pairs += pairMiddle(head..<old.count - tail, head..<new.count - tail, matchLimit)
    pairs += (0..<tail).reversed().map { (old.count - 1 - $0, new.count - 1 - $0) }
    // Where a row is its own key, those with the same key are the same.
    if newKey != nil { for (oldRow, newRow) in pairs { compare(oldRow, newRow) } }
  }

  /// Pairs the rows between the first and the last that do not pair by themselves.
  ///
  /// - Returns: The pairs, by rising new place.
  private mutating func pairMiddle(
    _ oldRows: Range<Int>, _ newRows: Range<Int>, _ matchLimit: Int
  ) -> [(old: Int, new: Int)] {
    if oldRows.isEmpty || newRows.isEmpty {
      removed = Array(oldRows)
      inserted = Array(newRows)
      return []
    }
    var numbers: [RowKey: Int] = [:]
    func number(_ key: RowKey) -> Int {
      if let known = numbers[key] { return known }
      let next = numbers.count
      numbers[key] = next
      return next
    }
    let oldKeys = oldRows.map { number(RowKey(old, $0, oldKey)) }
    let newKeys = newRows.map { number(RowKey(new, $0, newKey)) }
    var partners = [Int?](repeating: nil, count: newKeys.count)
    var isPaired = [Bool](repeating: false, count: oldKeys.count)
    for match in CommonSubsequence.matches(of: oldKeys, newKeys, limit: matchLimit) {
      partners[match.new] = match.old
      isPaired[match.old] = true
    }
    // What is left of each key on both sides has moved.
    var waiting: [[Int]] = Array(repeating: [], count: numbers.count)
    for place in oldKeys.indices.reversed() where !isPaired[place] {
      waiting[oldKeys[place]].append(place)
    }
    for place in newKeys.indices where partners[place] == nil {
      if let source = waiting[newKeys[place]].popLast() {
        partners[place] = source
        isPaired[source] = true
        moved.append((oldRows.lowerBound + source, newRows.lowerBound + place))
      } else {
        inserted.append(newRows.lowerBound + place)
      }
    }
    removed = oldKeys.indices.filter { !isPaired[$0] }.map { oldRows.lowerBound + $0 }
    return partners.enumerated().compactMap { place, source in
      source.map { (oldRows.lowerBound + $0, newRows.lowerBound + place) }
    }
  }

  /// Notes the columns in which the rows of a pair differ.
  private mutating func compare(_ oldRow: Int, _ newRow: Int) {
    let before = old.start(of: oldRow)
    let after = new.start(of: newRow)
    let changed = sources.indices.filter { place in
      guard let source = sources[place] else { return true }
      return !old.cells.buffer.isIdentical(
        before + source, to: after + place, in: new.cells.buffer)
    }
    if !changed.isEmpty || !isSameShape { updated.append((newRow, changed)) }
  }

  private func hasSameKey(_ oldRow: Int, _ newRow: Int) -> Bool {
    RowKey(old, oldRow, oldKey) == RowKey(new, newRow, newKey)
  }
}

/// The key of a row, as a view of its values.
private struct RowKey: Hashable {
  private let cells: StoredRow.Cells
  private let start: Int
  /// How many columns the row has.
  private let width: Int
  /// The places of the key; nil for all.
  private let places: [Int]?

  init(_ rows: ResultRows, _ row: Int, _ places: [Int]?) {
    cells = rows.cells
    start = rows.start(of: row)
    width = rows.columns.count
    self.places = places
  }

  private var count: Int { places?.count ?? width }

  private func cell(_ index: Int) -> Int { start + (places?[index] ?? index) }

  static func == (a: RowKey, b: RowKey) -> Bool {
    (0..<a.count).allSatisfy {
      a.cells.buffer.isIdentical(a.cell($0), to: b.cell($0), in: b.cells.buffer)
    }
  }

  func hash(into hasher: inout Hasher) {
    var fingerprint = Fingerprint()
    for index in 0..<count {
      fingerprint.combine(cells.buffer.cells[cell(index)], in: cells.buffer)
    }
    hasher.combine(fingerprint.value)
  }
}
