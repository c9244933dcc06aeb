extension TrackedStore {
  /// The header, inside a transaction of the caller's, by a statement that is compiled once.
  ///
  /// It costs a twentieth of reading it through a connection, which compiles two.
  ///
  /// - Throws: What ``StoreHeader`` throws when it is read through a connection.
  func header() throws -> StoreHeader {
    // Tables come and go only with another schema, so whether all are there is asked once for each.
    let schema = try schemaVersion()
    guard schema == checkedSchema else {
      let header = try StoreHeader(connection)
      checkedSchema = schema
      return header
    }
    return try StoreHeader(row: prepared(.header))
  }
}
