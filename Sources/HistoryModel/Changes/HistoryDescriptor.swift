/// A question to a history.
///
/// It plays the part of SwiftData's `HistoryDescriptor`, with names of tables in the place of
/// predicates.
public struct HistoryDescriptor: Sendable, Hashable {
  /// Where to begin.
  public var after: HistoryPosition
  /// Which changes are wanted.
  public var filter: ChangeFilter
  /// How many transactions at most; nil for all.
  public var limit: Int?

  /// Makes a question.
  ///
  /// - Parameters:
  ///   - after: Where to begin.
  ///   - tables: The tables that are wanted; none for all.
  ///   - authors: The authors that are wanted; none for all. Nil stands for untagged transactions.
  ///   - excludingAuthors: Authors to leave out.
  ///   - operations: The operations that are wanted; none for all.
  ///   - limit: How many transactions at most; nil for all.
  public init(
    after: HistoryPosition = .oldest, tables: [String] = [], authors: Set<String?> = [],
    excludingAuthors: Set<String?> = [], operations: Set<Operation> = [], limit: Int? = nil
  ) {
    self.after = after
    filter = ChangeFilter(
      tables: tables, operations: operations, authors: authors, excludedAuthors: excludingAuthors)
    self.limit = limit
  }
}
