import HistoryModel
import SQLite

extension TrackedStore {
  /// The consumer that is furthest behind and still holds history back.
  func holder() throws -> (name: String, sequence: Int64)? {
    let statement = try prepared(.holder)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    return (statement.text(at: 0) ?? "", statement.int64(at: 1))
  }

  /// How many bytes the pages that are in use have, the application's included.
  func usedBytes() throws -> Int64 {
    let statement = try prepared(.usedBytes)
    defer { statement.reset() }
    return try statement.step() ? statement.int64(at: 0) : 0
  }

  /// Moves `oldest`, inside a write transaction of the caller's.
  ///
  /// - Returns: Whether it could: not where a consumer has come to hold it back meanwhile, or the
  ///   position is no longer one of this history.
  func advance(to cut: HistoryToken) throws -> Bool {
    let header = try header()
    guard cut.storeIdentifier == header.identifier, cut.sequence > header.trimmed,
      try expiry(of: cut, in: header) == nil, try holder()?.sequence ?? .max >= cut.sequence
    else { return false }
    let statement = try prepared(.advance)
    try statement.bind([
      .integer(cut.sequence), .integer(Int64(bitPattern: cut.check)),
    ])
    try statement.run()
    return true
  }
}
