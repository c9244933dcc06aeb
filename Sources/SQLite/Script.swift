private import CSQLite

/// The statements of a text, prepared one by one.
struct Script {
  /// Ends with a NUL: without one SQLite copies all that is left of the text for each statement.
  private let text: [UInt8]
  private let connection: Connection
  private let flags: UInt32
  /// Where the next statement starts, in bytes.
  private var position = 0

  init(_ text: String, on connection: Connection, flags: UInt32 = 0) {
    var bytes = Array(text.utf8)
    bytes.append(0)
    self.text = bytes
    self.connection = connection
    self.flags = flags
  }

  /// Prepares the next statement.
  ///
  /// The corresponding SQLite function is `sqlite3_prepare_v3`, see
  /// <https://www.sqlite.org/c3ref/prepare.html>.
  ///
  /// - Returns: The statement; nil when nothing but space and comments is left.
  mutating func next() throws(SQLiteError) -> Statement? {
    let handle = try connection.openHandle()
    let end = text.count - 1
    while position < end {
      let (code, statement, length) = prepare(from: position, on: handle)
      guard code == SQLITE_OK else {
        throw SQLiteError(handle, sql: String(decoding: text[position..<end], as: UTF8.self))
      }
      let start = position
      position += length
      if let statement {
        return Statement(statement, sql: trimmed(start..<position), of: connection)
      }
      // SQLite stops at a NUL as if the text ended there; what follows would be lost.
      if position < end, text[position] == 0 {
        throw SQLiteError(code: .error, message: "the text contains a NUL", offset: position)
      }
      // Anything else without a statement is space, a comment or a lone semicolon.
      if length == 0 { return nil }
    }
    return nil
  }

  private func prepare(
    from start: Int, on handle: OpaquePointer
  ) -> (code: Int32, statement: OpaquePointer?, length: Int) {
    text.withUnsafeBytes { bytes in
      let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
      let characters = rest.assumingMemoryBound(to: CChar.self)
      guard let count = Int32(exactly: characters.count) else { return (SQLITE_TOOBIG, nil, 0) }
      var statement: OpaquePointer?
      var tail: UnsafePointer<CChar>?
      let code = sqlite3_prepare_v3(
        handle, characters.baseAddress, count, flags, &statement, &tail)
      let length = characters.baseAddress.flatMap { start in tail.map { $0 - start } }
      return (code, statement, length ?? 0)
    }
  }

  private func trimmed(_ range: Range<Int>) -> String {
    let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
    let bytes = text[range].drop(while: isSpace)
    let end = bytes.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? bytes.startIndex
    return String(decoding: bytes[..<end], as: UTF8.self)
  }
}
