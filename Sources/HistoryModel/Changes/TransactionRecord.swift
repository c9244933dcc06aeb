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
  /// The sequence at which it ended in the history of ``origin``.
  public let originSequence: Int64?
  /// How it came here, when it was brought here from another store.
  package let arrival: TransactionArrival?

  /// Makes a record.
  ///
  /// - Parameters:
  ///   - number: A number that grows from transaction to transaction.
  ///   - author: Who wrote it.
  ///   - context: What its writer said about it.
  ///   - isTagged: Whether its writer gave an author.
  ///   - timestamp: When it was made.
  ///   - origin: Where it was first made.
  ///   - originSequence: The sequence at which it ended there.
  public convenience init(
    number: Int64, author: String? = nil, context: String? = nil, isTagged: Bool = false,
    timestamp: CalendarTime? = nil, origin: StoreIdentifier? = nil, originSequence: Int64? = nil
  ) {
    self.init(
      number: number, author: author, context: context, isTagged: isTagged, timestamp: timestamp,
      origin: origin, originSequence: originSequence, arrival: nil)
  }

  package init(
    number: Int64, author: String?, context: String?, isTagged: Bool, timestamp: CalendarTime?,
    origin: StoreIdentifier?, originSequence: Int64?, arrival: TransactionArrival?
  ) {
    self.number = number
    self.author = author
    self.context = context
    self.isTagged = isTagged
    self.timestamp = timestamp
    self.origin = origin
    self.originSequence = originSequence
    self.arrival = arrival
  }
}

/// How a transaction came into a store that did not make it.
package struct TransactionArrival: Sendable, Hashable {
  /// The store that it was read from, which need not be the one that made it.
  package let source: StoreIdentifier
  /// When that store says that it was made.
  package let madeAt: CalendarTime?

  package init(source: StoreIdentifier, madeAt: CalendarTime?) {
    self.source = source
    self.madeAt = madeAt
  }
}

extension TransactionRecord: Hashable {
  /// Whether two records say the same.
  public static func == (a: TransactionRecord, b: TransactionRecord) -> Bool {
    a.number == b.number && a.author == b.author && a.context == b.context
      && a.isTagged == b.isTagged && a.timestamp == b.timestamp && a.origin == b.origin
      && a.originSequence == b.originSequence
  }

  /// Feeds the number, which tells the transactions of a store apart, into a hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
