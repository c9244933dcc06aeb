import HistoryKit

/// A row that is kept.
struct Product: Decodable, Sendable {
  var id: Int
  var name: String
  var price: Int
}

/// Keeps products that were read until somebody, in whatever language, changes them.
actor ProductCache {
  /// How many products were asked for, and how many had to be read.
  private(set) var counts = (asked: 0, read: 0)
  private let store: ObservedStore
  private var entries: [Int: (product: Product?, token: HistoryToken)] = [:]
  /// Nothing is kept that was changed up to here.
  private var position: HistoryToken

  init(_ store: ObservedStore) async throws {
    self.store = store
    position = try await store.state().head
  }

  /// Returns a product, kept or read.
  ///
  /// - Parameters:
  ///   - id: The product's key.
  ///   - token: How new it is to be at least, for someone who knows of a change; nil for as new as
  ///     the cache is.
  /// - Returns: The product; nil where there is none.
  /// - Throws: `HistoryError` when the store cannot be read.
  func product(_ id: Int, asOf token: HistoryToken? = nil) async throws -> Product? {
    counts.asked += 1
    if let entry = entries[id], max(entry.token, position) >= token ?? position {
      return entry.product
    }
    counts.read += 1
    let read = try await store.read { view in
      let rows = try view.rows("SELECT id, name, price FROM products WHERE id = ?", id)
      return (product: try rows.first?.decode(Product.self), token: view.token)
    }
    // The actor did other things meanwhile. What was changed up to `position` has been taken out
    // already, so an older row would stay forever.
    if read.token >= max(position, entries[id]?.token ?? position) { entries[id] = read }
    return read.product
  }

  /// Takes out what is changed, until the task is cancelled.
  func follow() async throws {
    while !Task.isCancelled {
      do {
        try await readOn()
      } catch let error as HistoryError where error.code == .historyTokenExpired {
        // The history was trimmed or the store restored: whatever is kept may be wrong.
        position = try await store.state().head
        entries = [:]
      }
    }
  }

  private func readOn() async throws {
    let wanted = ChangeFilter(tables: ["products"])
    for try await transaction in store.transactions(after: position, filter: wanted) {
      for change in transaction.changes {
        for row in [change.key, change.after] { forget(row, before: transaction.token) }
      }
      position = transaction.token
    }
  }

  private func forget(_ row: StoredRow, before token: HistoryToken) {
    guard let id = row["id", as: Int.self], let entry = entries[id] else { return }
    // One that was read after the change is right.
    if entry.token < token { entries[id] = nil }
  }
}
