import HistoryModel

/// What somebody wants to observe.
struct QueryRequest {
  let text: QueryText
  let arguments: QueryArguments
  /// The names of the key columns.
  let key: [String]
  /// The name of the column by which rows are parted.
  let section: String?
}
