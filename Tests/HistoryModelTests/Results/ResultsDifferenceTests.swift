import Testing

@testable import HistoryModel

@Suite("Results difference")
struct ResultsDifferenceTests {
  private static func rows(_ keys: [StoredValue]) -> ResultRows {
    ResultRows(columns: ["id", "v"], rows: keys.map { [$0, 0] })
  }

  private static func brief(_ difference: ResultsDifference) -> String {
    let moves = difference.moved.map { "\($0.from)>\($0.to)" }
    return
      "-\(difference.removed.map(\.index)) +\(difference.inserted.map(\.index)) \(moves) ~\(difference.updated.map(\.index))"
  }

  @Test(
    "places are those of the old rows for what goes, of the new ones for what comes",
    arguments: [
      ([1, 2, 3], [1, 2, 3], "-[] +[] [] ~[]"),
      ([1, 3], [1, 2, 3], "-[] +[1] [] ~[]"),
      ([1, 2, 3], [1, 3], "-[1] +[] [] ~[]"),
      ([1, 2, 3, 4], [4, 1, 2, 3], "-[] +[] [\"3>0\"] ~[]"),
      ([1, 2, 3, 4], [2, 3, 4, 1], "-[] +[] [\"0>3\"] ~[]"),
      ([1, 2, 3], [3, 9, 1], "-[1] +[1] [\"0>2\"] ~[]"),
      ([], [1, 2], "-[] +[0, 1] [] ~[]"),
      ([1, 2], [], "-[0, 1] +[] [] ~[]"),
      ([1, 1, 1], [1, 1], "-[2] +[] [] ~[]"),
      ([1, 2, 1], [1, 1, 2], "-[] +[] [\"1>2\"] ~[]"),
    ] as [([StoredValue], [StoredValue], String)])
  func places(old: [StoredValue], new: [StoredValue], expected: String) {
    let difference = ResultsDifference(from: Self.rows(old), to: Self.rows(new), key: [0])
    #expect(Self.brief(difference) == expected)
    #expect(difference.applied(to: Self.rows(old)) == Self.rows(new))
    #expect(difference.isEmpty == (old == new))
  }

  @Test("a row with the same key and other values is updated, also where it moved")
  func updated() {
    let old = ResultRows(
      columns: ["a", "id", "b"], rows: [["x", 1, 1], ["y", 2, nil], ["z", 3, 0.0]])
    let new = ResultRows(
      columns: ["a", "id", "b"], rows: [["z", 3, -0.0], ["X", 1, 1.0], ["y", 2, nil]])
    let difference = ResultsDifference(from: old, to: new, key: [1])
    #expect(Self.brief(difference) == "-[] +[] [\"2>0\"] ~[0, 1]")
    #expect(difference.updated.map(\.changedColumns) == [["b"], ["a", "b"]])
    #expect(difference.updated[1].row == new[1])
    #expect(difference.applied(to: old) == new)
  }

  @Test("without a key a row is its own: other values are another row")
  func wholeRow() {
    let old = ResultRows(columns: ["a", "b"], rows: [["x", 1], ["y", 2]])
    let new = ResultRows(columns: ["a", "b"], rows: [["x", 1], ["y", 3]])
    let difference = ResultsDifference(from: old, to: new)
    #expect(Self.brief(difference) == "-[1] +[1] [] ~[]")
    #expect(difference.removed[0].key == old[1])
    #expect(difference.inserted[0].row == new[1])
  }

  @Test("what is removed is named by its key, in the order of the key")
  func removedKey() {
    let old = ResultRows(columns: ["a", "b", "c"], rows: [[1, 2, 3]])
    let difference = ResultsDifference(
      from: old, to: ResultRows(columns: ["a", "b", "c"]), key: [2, 0])
    #expect(difference.removed.map(\.key) == [["c": 3, "a": 1]])
  }

  @Test("columns that came or went update every row that kept its key")
  func otherColumns() {
    let old = ResultRows(columns: ["id", "a"], rows: [[1, "x"], [2, "y"]])
    let wider = ResultRows(columns: ["b", "id", "a"], rows: [[nil, 2, "y"], [5, 1, "z"]])
    let difference = ResultsDifference(from: old, to: wider, key: [1])
    #expect(difference.updated.map(\.changedColumns) == [["b"], ["b", "a"]])
    #expect(difference.applied(to: old) == wider)
    let narrower = ResultsDifference(from: wider, to: old, key: [0])
    #expect(narrower.updated.map(\.changedColumns) == [["a"], []])
    #expect(narrower.applied(to: wider) == old)
  }

  @Test("rows whose columns changed are other rows where they have no key in common")
  func noCommonKey() {
    let old = ResultRows(columns: ["id"], rows: [[1]])
    let new = ResultRows(columns: ["key"], rows: [[1]])
    for key in [[], [0]] {
      let difference = ResultsDifference(from: old, to: new, key: key)
      #expect(Self.brief(difference) == "-[0] +[0] [] ~[]")
      #expect(difference.applied(to: old) == new)
    }
  }

  @Test(
    "any difference applies, splits no key, and has as few moves as there can be", arguments: 0..<40
  )
  func random(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for round in 0..<60 {
      let keys = Int.random(in: 1...7, using: &generator)
      let sides = (0..<2).map { _ in
        (0..<Int.random(in: 0...7, using: &generator)).map { _ in
          [
            StoredValue.integer(.random(in: 0..<Int64(keys), using: &generator)),
            .integer(.random(in: 0..<3, using: &generator)),
          ]
        }
      }
      let old = ResultRows(columns: ["k", "v"], rows: sides[0])
      let new = ResultRows(columns: ["k", "v"], rows: sides[1])
      let key = round.isMultiple(of: 3) ? [] : [0]
      let difference = ResultsDifference(from: old, to: new, key: key)
      #expect(difference.applied(to: old) == new)
      #expect(difference.isEmpty == (old == new))
      let keyed = { (row: StoredRow) in key.isEmpty ? row.values : [row[0]] }
      let gone = Set(difference.removed.map { keyed(old[$0.index]) })
      #expect(gone.isDisjoint(with: difference.inserted.map { keyed($0.row) }))
      let pairs = old.count - difference.removed.count
      #expect(
        difference.moved.count == pairs - Self.longest(old.map(keyed), new.map(keyed)),
        "\(sides)")
      let limited = ResultsDifference(from: old, to: new, key: key, matchLimit: 0)
      #expect(limited.applied(to: old) == new)
      #expect(limited.moved.count >= difference.moved.count)
    }
  }

  @Test("many equal rows in another order take no more pairs than the limit")
  func limit() {
    let half = 2_000
    let keys = (0..<2 * half).map { StoredValue.integer(Int64($0 % 2)) }
    let old = Self.rows(keys)
    let new = Self.rows(keys.reversed())
    let difference = ResultsDifference(from: old, to: new, key: [0])
    #expect(difference.removed.isEmpty && difference.inserted.isEmpty)
    #expect(difference.applied(to: old) == new)
    #expect(difference.moved.count <= half)
  }

  @Test("long rows of distinct keys are compared in a moment, whatever their order")
  func long() {
    var generator = SeededGenerator(seed: 1)
    let keys = (0..<5_000).map { StoredValue.integer($0) }
    let old = Self.rows(keys)
    let new = Self.rows(keys.shuffled(using: &generator))
    let difference = ResultsDifference(from: old, to: new, key: [0])
    #expect(difference.applied(to: old) == new)
    // The longest rising run of a shuffle is about twice the root of its length.
    #expect(difference.moved.count > 4_700 && difference.moved.count < 4_950)
  }

  /// The length of the longest common subsequence, by the textbook's table.
  private static func longest(_ a: [[StoredValue]], _ b: [[StoredValue]]) -> Int {
    var table = Array(repeating: Array(repeating: 0, count: b.count + 1), count: a.count + 1)
    for (i, x) in a.enumerated() {
      for (j, y) in b.enumerated() {
        table[i + 1][j + 1] = x == y ? table[i][j] + 1 : max(table[i][j + 1], table[i + 1][j])
      }
    }
    return table[a.count][b.count]
  }
}

/// SplitMix64; see <https://prng.di.unimi.it/splitmix64.c>.
private struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}
