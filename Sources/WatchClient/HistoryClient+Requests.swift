public import HistoryModel

extension HistoryClient {
  /// Waits until the server has read up to a position.
  ///
  /// What a subscription of this server shows afterwards includes what was committed before it.
  ///
  /// - Parameters:
  ///   - token: The position, as the commit gave it.
  ///   - timeout: How long to wait at most; nil for as long as it takes.
  ///   - database: Which database; nil for the only one that the server serves.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `temporary` when the time has passed,
  ///   no server answers or the task was cancelled, and `foreignToken` or `historyTokenExpired`
  ///   when the position can never be reached.
  public func waitUntil(
    _ token: HistoryToken, timeout: Duration? = nil, of database: String? = nil
  ) async throws(HistoryError) {
    _ = try await ask(
      "wait",
      [
        "database": database.map { .string($0) }, "token": .string(token.description),
        "timeout": timeout.map { .string(ClientRequest.text($0)) },
      ])
  }

  /// Moves a consumer of the store to a position: everything up to it was dealt with, and need not
  /// be kept for it.
  ///
  /// - Parameters:
  ///   - consumer: The consumer's name.
  ///   - token: The position.
  ///   - database: Which database; nil for the only one that the server serves.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `noSuchConsumer`, with one that says what
  ///   is wrong with the position, or `temporary` when no server answers.
  public func acknowledge(
    consumer: String, token: HistoryToken, of database: String? = nil
  ) async throws(HistoryError) {
    _ = try await ask(
      "acknowledge",
      [
        "database": database.map { .string($0) }, "consumer": .string(consumer),
        "token": .string(token.description),
      ])
  }

  /// What `historywatch status --json` says of a database, and what the server does.
  ///
  /// - Parameter database: Which database; nil for the only one that the server serves.
  /// - Returns: An object.
  /// - Throws: ``/HistoryModel/HistoryError`` when the database cannot be read, or no server
  ///   answers.
  public func status(of database: String? = nil) async throws(HistoryError) -> JSONValue {
    try await ask("status", ["database": database.map { .string($0) }])
  }

  /// Finds out whether the server answers.
  ///
  /// - Throws: ``/HistoryModel/HistoryError`` with code `temporary` when it does not.
  public func ping() async throws(HistoryError) { _ = try await ask("ping") }
}
