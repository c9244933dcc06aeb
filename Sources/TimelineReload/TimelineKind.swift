public import HistoryModel

/// Something that is shown or derived from a store and has to be made anew when certain changes
/// were committed.
///
/// It plays the part of a kind in WidgetKit.
///
/// ```swift
/// let kind = TimelineKind(
///   "TasksWidget", tables: ["tasks"], ignoringAuthors: ["widget"], changedColumns: ["title", "done"])
/// ```
public struct TimelineKind: Sendable, Hashable {
  /// Its name; empty for one that needs none.
  public let name: String
  /// Which changes matter.
  public let interest: ChangeInterest
  /// When a burst of them becomes a reload.
  public let policy: ReloadPolicy

  /// Makes a kind of what matters to it; what is empty does not restrict.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - tables: The tables that matter, in any letter case.
  ///   - operations: The operations that matter.
  ///   - authors: The authors that matter; nil stands for untagged transactions.
  ///   - ignoringAuthors: The authors that do not matter, such as the one under which a reload
  ///     itself writes; nil stands for untagged transactions.
  ///   - changedColumns: The columns of which an update has to change one, in any letter case.
  ///     Inserts and deletes matter whatever their columns, and so do updates of tables of which
  ///     only the keys are captured.
  ///   - policy: When a burst becomes a reload.
  public init(
    _ name: String, tables: some Sequence<String> = [], operations: Set<Operation> = [],
    authors: Set<String?> = [], ignoringAuthors: Set<String?> = [],
    changedColumns: some Sequence<String> = [], policy: ReloadPolicy = ReloadPolicy()
  ) {
    let columns = Set(changedColumns.map(ChangeFilter.folded))
    self.init(
      name,
      matching: ChangeInterest(
        ChangeFilter(
          tables: tables, operations: operations, authors: authors,
          excludedAuthors: ignoringAuthors),
        columns: columns.isEmpty ? .any : .named(columns)),
      policy: policy)
  }

  /// Makes a kind of an interest in changes.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - interest: Which changes matter.
  ///   - policy: When a burst becomes a reload.
  public init(
    _ name: String, matching interest: ChangeInterest, policy: ReloadPolicy = ReloadPolicy()
  ) {
    self.name = name
    self.interest = interest
    self.policy = policy
  }
}
