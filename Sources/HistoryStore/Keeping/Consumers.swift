public import HistoryModel
import SQLite

/// A named, durable position kept in the store.
public struct ConsumerPosition: Sendable, Hashable {
  /// The name.
  public let name: String
  /// How far it has got.
  public let token: HistoryToken
  /// How many rows of history follow its position.
  public let lag: Int64
  /// When it was last moved.
  public let movedAt: CalendarTime?
}

/// The named positions of a store.
///
/// Trimming respects them, but not for ever: one that has not moved for ``longestHold`` no longer
/// holds history back, so that a consumer nobody runs any more cannot fill the disk.
public struct Consumers {
  /// How long a position that does not move holds history back: 30 days, in days.
  public static let longestHold = 30

  private let store: TrackedStore
  private var connection: Connection { store.connection }

  /// Makes an access to the consumers of a store.
  ///
  /// - Parameter store: The store, opened for writing where anything is to be changed.
  public init(_ store: TrackedStore) { self.store = store }

  /// The consumers by name.
  ///
  /// - Returns: Every consumer with its lag.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `notTracked`.
  public func list() throws(HistoryError) -> [ConsumerPosition] {
    try HistoryError.translating(at: store.path) {
      try connection.transaction(.deferred) {
        let head = try store.head(of: StoreHeader(connection))
        return try connection.rows(
          "SELECT name, token, at FROM _history_consumer ORDER BY name"
        ).map { row in
          let token = try HistoryToken(row[1].text ?? "")
          var time: CalendarTime?
          if case .real(let julianDay) = row[2] { time = CalendarTime(julianDay: julianDay) }
          return ConsumerPosition(
            name: row[0].text ?? "", token: token,
            lag: max(0, head.sequence - token.sequence), movedAt: time)
        }
      }
    }
  }

  /// The position of a consumer.
  ///
  /// - Parameter name: Its name.
  /// - Returns: How far it has got.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `noSuchConsumer`.
  public func position(of name: String) throws(HistoryError) -> HistoryToken {
    try HistoryError.translating(at: store.path) {
      try connection.transaction(.deferred) {
        _ = try StoreHeader(connection)
        return try token(of: name)
      }
    }
  }

  /// Makes a consumer.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - position: Where it begins.
  /// - Returns: Where it begins, as a token.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `historyTokenExpired` or
  ///   `foreignToken` when it cannot begin there, `usage` when the name is taken.
  public func create(
    _ name: String, at position: HistoryPosition
  ) throws(HistoryError) -> HistoryToken {
    try HistoryError.translating(at: store.path) {
      try connection.transaction(.immediate) {
        let header = try StoreHeader(connection)
        if try row(of: name) != nil { throw HistoryError.consumerExists(name) }
        let token: HistoryToken
        switch position {
        case .now: token = try store.head(of: header)
        case .oldest: token = header.oldest
        case .after(let asked): token = try usable(asked, in: header)
        }
        try connection.run(
          """
          INSERT INTO _history_consumer(name, token, sequence, at)
          VALUES(?, ?, ?, julianday('now'))
          """, .text(name), .text(token.description), .integer(token.sequence))
        return token
      }
    }
  }

  /// Moves a consumer, forwards or back.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - token: How far it has got.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `noSuchConsumer`,
  ///   `historyTokenExpired` or `foreignToken`.
  public func acknowledge(_ name: String, _ token: HistoryToken) throws(HistoryError) {
    try HistoryError.translating(at: store.path) {
      try connection.transaction(.immediate) {
        _ = try self.token(of: name)
        _ = try usable(token, in: StoreHeader(connection))
        try connection.run(
          """
          UPDATE _history_consumer SET token = ?, sequence = ?, at = julianday('now')
          WHERE name = ?
          """, .text(token.description), .integer(token.sequence), .text(name))
      }
    }
  }

  /// Removes a consumer.
  ///
  /// - Parameter name: Its name.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `noSuchConsumer`.
  public func remove(_ name: String) throws(HistoryError) {
    try HistoryError.translating(at: store.path) {
      try connection.transaction(.immediate) {
        _ = try StoreHeader(connection)
        _ = try token(of: name)
        try connection.run("DELETE FROM _history_consumer WHERE name = ?", .text(name))
      }
    }
  }

  private func row(of name: String) throws -> [StoredValue]? {
    try connection.row("SELECT token FROM _history_consumer WHERE name = ?", .text(name))
  }

  private func token(of name: String) throws -> HistoryToken {
    guard let text = try row(of: name)?[0].text else { throw HistoryError.noSuchConsumer(name) }
    return try HistoryToken(text)
  }

  private func usable(_ token: HistoryToken, in header: StoreHeader) throws -> HistoryToken {
    if let reason = try store.expiry(of: token, in: header) {
      throw HistoryError.historyTokenExpired(oldest: header.oldest, reason: reason)
    }
    return token
  }
}
