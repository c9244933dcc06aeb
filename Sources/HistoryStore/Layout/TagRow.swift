import HistoryModel
import SQLite

/// A row of the history that says who wrote the rows before it, in the same transaction.
struct TagRow {
  /// Where a transaction comes from that was brought here.
  struct Origin {
    /// The store that made it, and the sequence at which it ended there.
    var store: StoreIdentifier
    var sequence: Int64
    /// The store that it was read from.
    var source: StoreIdentifier
    /// The time that the store gave that made it.
    var madeAt: CalendarTime?
  }

  /// Who wrote it; nil where nobody is known who did, which only what was brought here can say.
  var author: String?
  var context: String?
  /// The first row that it covers; its own, when it covers none.
  var first: Int64
  var origin: Origin?

  /// The statement that appends it, with ``values`` as its parameters.
  ///
  /// The random number makes the row's digest one that no other row at the same place has.
  static let insertion = """
    INSERT INTO _history_change(what, at, v0, v1, v2, v3, v4, v5, v6, v7)
    VALUES(\(Layout.Mark.tag), julianday('now'), ?, ?, ?, random(), ?, ?, ?, ?)
    """

  /// The parameters of ``insertion``.
  var values: [StoredValue] {
    [
      text(author), text(context), .integer(first), text(origin?.store.description),
      origin.map { .integer($0.sequence) } ?? .null,
      text(origin.flatMap { $0.source == $0.store ? nil : $0.source.description }),
      origin?.madeAt.map { .integer($0.milliseconds) } ?? .null,
    ]
  }

  /// Appends it to the history, inside a transaction of the caller's.
  func append(to connection: Connection) throws {
    let statement = try connection.prepare(Self.insertion)
    try statement.bind(values)
    try statement.run()
  }

  private func text(_ text: String?) -> StoredValue { text.map { .text($0) } ?? .null }
}
