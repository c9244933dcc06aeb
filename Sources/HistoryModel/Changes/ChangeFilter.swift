/// Which changes a reader wants; what is empty does not restrict.
public struct ChangeFilter: Sendable, Hashable {
  /// Tables by name, in lower case of ASCII letters, as SQLite compares names.
  public private(set) var tables: Set<String>
  /// Operations.
  public var operations: Set<Operation>
  /// Authors to show; `nil` stands for untagged transactions.
  public var authors: Set<String?>
  /// Authors to leave out; `nil` stands for untagged transactions.
  public var excludedAuthors: Set<String?>
  /// Stores whose transactions to leave out, where they were brought here from there.
  public var excludedOrigins: Set<StoreIdentifier>

  /// Makes a filter.
  ///
  /// - Parameters:
  ///   - tables: Names of tables to show, in any letter case.
  ///   - operations: Operations to show.
  ///   - authors: Authors to show.
  ///   - excludedAuthors: Authors to leave out.
  ///   - excludedOrigins: Stores whose transactions to leave out.
  public init(
    tables: some Sequence<String> = [], operations: Set<Operation> = [],
    authors: Set<String?> = [], excludedAuthors: Set<String?> = [],
    excludedOrigins: Set<StoreIdentifier> = []
  ) {
    self.tables = Set(tables.map(Self.folded))
    self.operations = operations
    self.authors = authors
    self.excludedAuthors = excludedAuthors
    self.excludedOrigins = excludedOrigins
  }

  /// Whether transactions of an author are wanted.
  ///
  /// - Parameter author: The author, or nil for an untagged transaction.
  /// - Returns: Whether one of its changes may match.
  public func matches(author: String?) -> Bool {
    (authors.isEmpty || authors.contains(author)) && !excludedAuthors.contains(author)
  }

  /// Whether a transaction is wanted, by who wrote it and where it was first made.
  ///
  /// - Parameter transaction: The transaction.
  /// - Returns: Whether one of its changes may match.
  public func matches(_ transaction: TransactionRecord) -> Bool {
    matches(author: transaction.author)
      && transaction.origin.map { !excludedOrigins.contains($0) } ?? true
  }

  /// Whether a table is wanted.
  ///
  /// - Parameter table: Its name.
  /// - Returns: Whether one of its changes may match.
  public func matches(table: String) -> Bool {
    tables.isEmpty || tables.contains(Self.folded(table))
  }

  /// Whether an operation is wanted.
  ///
  /// - Parameter operation: The operation.
  /// - Returns: Whether it may match.
  public func matches(operation: Operation) -> Bool {
    operations.isEmpty || operations.contains(operation)
  }

  /// A name with its ASCII letters in lower case, which is how SQLite compares names.
  ///
  /// - Parameter name: A table's or column's name.
  /// - Returns: The folded name.
  public static func folded(_ name: String) -> String {
    String(
      decoding: name.utf8.map { 65...90 ~= $0 ? $0 + 32 : $0 }, as: UTF8.self)
  }

  /// Whether two names are the same to SQLite.
  ///
  /// - Parameters:
  ///   - a: A table's or column's name.
  ///   - b: Another.
  /// - Returns: Whether they differ in nothing but the case of ASCII letters.
  public static func isSameName(_ a: String, _ b: String) -> Bool {
    guard a.utf8.count == b.utf8.count else { return false }
    return zip(a.utf8, b.utf8).allSatisfy { x, y in
      x == y || (65...90 ~= x && x + 32 == y) || (65...90 ~= y && y + 32 == x)
    }
  }
}
