/// What changed between the rows that a query gave and those that it gives now.
///
/// As in `CollectionDifference`, removals and the origins of moves are places in the old rows;
/// insertions, the targets of moves and updates are places in the new ones. A row is told by its
/// key: one whose key is in both is never removed and inserted, and moves are as few as can be.
///
/// To follow it, take out all rows removed and moved, the highest place first; put in all rows
/// inserted and moved, the lowest first; then replace those updated. ``applied(to:)`` does that.
public struct ResultsDifference: Sendable, Hashable {
  /// A row that is gone.
  public struct Removal: Sendable, Hashable {
    /// Its place in the old rows.
    public let index: Int
    /// Its key: the key columns, or the whole row where a row is its own key.
    public let key: StoredRow
  }

  /// A row that is new.
  public struct Insertion: Sendable, Hashable {
    /// Its place in the new rows.
    public let index: Int
    /// The row.
    public let row: StoredRow
  }

  /// A row that stands elsewhere among those that stayed.
  public struct Move: Sendable, Hashable {
    /// Its place in the old rows.
    public let from: Int
    /// Its place in the new rows.
    public let to: Int
  }

  /// A row whose key is the same and whose values are not.
  public struct Update: Sendable, Hashable {
    /// Its place in the new rows.
    public let index: Int
    /// The row as it is now.
    public let row: StoredRow
    /// The names of the columns whose values differ to the bit, in column order.
    public let changedColumns: [String]
  }

  /// The rows that are gone, by rising place.
  public let removed: [Removal]
  /// The rows that are new, by rising place.
  public let inserted: [Insertion]
  /// The rows that stand elsewhere, by rising place in the new rows.
  public let moved: [Move]
  /// The rows with other values, by rising place.
  public let updated: [Update]
  /// The names of the columns of the new rows.
  public let columns: [String]

  /// Whether nothing changed.
  public var isEmpty: Bool {
    removed.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty
  }

  /// How many pairs of rows with equal keys are compared to make moves as few as can be.
  ///
  /// It matters only where a key is in many rows and they change places. Beyond it rows of one key
  /// are paired in their order, and there may be more moves than needed.
  static let matchLimit = 1_000_000

  /// Finds what changed.
  ///
  /// - Parameters:
  ///   - old: The rows before.
  ///   - new: The rows now.
  ///   - key: The places of the key columns in the new rows; the old ones have them where columns
  ///     of the same names are. Empty where a row is its own key.
  /// - Complexity: O(*b*) for *b* bytes of values, where few rows changed; for *n* rows between the
  ///   first and the last that changed O(*n* log *n*) more, with a limited part for equal keys.
  public init(from old: ResultRows, to new: ResultRows, key: [Int] = []) {
    self.init(from: old, to: new, key: key, matchLimit: Self.matchLimit)
  }

  /// The same with another limit, for tests.
  init(from old: ResultRows, to new: ResultRows, key: [Int], matchLimit: Int) {
    let pairing = RowPairing(old, new, key: key, matchLimit: matchLimit)
    removed = pairing.removed.map { place in
      let key = StoredRow(
        old.cells, names: old.columns, start: old.start(of: place), places: pairing.oldKey)
      return Removal(index: place, key: key)
    }
    inserted = pairing.inserted.map { Insertion(index: $0, row: new[$0]) }
    moved = pairing.moved.map { Move(from: $0.old, to: $0.new) }
    updated = pairing.updated.map { place, changed in
      Update(index: place, row: new[place], changedColumns: changed.map { new.columns[$0] })
    }
    columns = new.columns
  }

  /// The rows after the difference.
  ///
  /// - Parameter old: The rows that it was made from.
  /// - Returns: The rows that it was made to.
  /// - Complexity: O(*b*) for *b* bytes of values.
  public func applied(to old: ResultRows) -> ResultRows {
    var buffer = CellBuffer()
    for row in applied(to: Array(old), making: { $0 }) {
      for place in 0..<row.count { buffer.append(row.cell(at: place), of: row.cells.buffer) }
    }
    return ResultRows(buffer, columns: columns)
  }

  /// What was made of the rows, after the difference.
  ///
  /// - Parameters:
  ///   - old: What was made of each of the rows that the difference was made from.
  ///   - make: Makes the same of a row that is new or was updated.
  /// - Returns: What is made of each of the rows that the difference was made to.
  /// - Throws: What `make` throws.
  /// - Complexity: O(*n*) for *n* rows.
  package func applied<Element>(
    to old: [Element], making make: (StoredRow) throws -> Element
  ) rethrows -> [Element] {
    var isTaken = [Bool](repeating: false, count: old.count)
    for place in removed.map(\.index) + moved.map(\.from) { isTaken[place] = true }
    var made: [Element?] = Array(
      repeating: nil, count: old.count - removed.count + inserted.count)
    for move in moved { made[move.to] = old[move.from] }
    for insertion in inserted { made[insertion.index] = try make(insertion.row) }
    // The rest keeps its order; an update may stand where any of these do.
    var rest = old.indices.lazy.filter { !isTaken[$0] }.makeIterator()
    for place in made.indices where made[place] == nil {
      made[place] = rest.next().map { old[$0] }
    }
    for update in updated { made[update.index] = try make(update.row) }
    return made.compactMap { $0 }
  }
}
