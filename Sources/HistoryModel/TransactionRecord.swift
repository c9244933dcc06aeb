/// What is known of one transaction besides its changes.
///
/// It is shared by everything that is said of the transaction, and never changes.
public final class TransactionRecord: Sendable {
  /// A number that grows from transaction to transaction, with gaps.
  public let number: Int64
  /// Who wrote it; nil when untagged.
  public let author: String?
  /// What its writer said about it.
  public let context: String?
  /// Whether its writer gave an author.
  public let isTagged: Bool
  /// When its writer's clock says that it was made.
  public let timestamp: CalendarTime?
  /// The store where it was first made, when it was brought here from another one.
  public let origin: StoreIdentifier?

  /// Makes a record.
  ///
  /// - Parameters:
  ///   - number: A number that grows from transaction to transaction.
  ///   - author: Who wrote it.
  ///   - context: What its writer said about it.
  ///   - isTagged: Whether its writer gave an author.
  ///   - timestamp: When it was made.
  ///   - origin: Where it was first made.
  public init(
    number: Int64, author: String? = nil, context: String? = nil, isTagged: Bool = false,
    timestamp: CalendarTime? = nil, origin: StoreIdentifier? = nil
  ) {
    self.number = number
    self.author = author
    self.context = context
    self.isTagged = isTagged
    self.timestamp = timestamp
    self.origin = origin
  }
}

extension TransactionRecord: Hashable {
  /// Whether two records say the same.
  public static func == (a: TransactionRecord, b: TransactionRecord) -> Bool {
    a.number == b.number && a.author == b.author && a.context == b.context
      && a.isTagged == b.isTagged && a.timestamp == b.timestamp && a.origin == b.origin
  }

  /// Feeds the number, which tells the transactions of a store apart, into a hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
