private import CSQLite
public import HistoryModel

extension Statement {
  /// The largest index of its parameters.
  ///
  /// The corresponding SQLite function is `sqlite3_bind_parameter_count`, see
  /// <https://www.sqlite.org/c3ref/bind_parameter_count.html>.
  public var parameterCount: Int { Int(sqlite3_bind_parameter_count(handle)) }

  /// The name of the first parameter, `?` where it has none; nil where there is no parameter.
  var firstParameter: String? { parameterCount == 0 ? nil : parameterName(at: 1) ?? "?" }

  /// The index of a named parameter.
  ///
  /// The corresponding SQLite function is `sqlite3_bind_parameter_index`, see
  /// <https://www.sqlite.org/c3ref/bind_parameter_index.html>.
  ///
  /// - Parameter name: The name with its first character, such as `:id`.
  /// - Returns: The index, from 1; nil if there is no such parameter.
  public func parameterIndex(named name: String) -> Int? {
    let index = sqlite3_bind_parameter_index(handle, name)
    return index == 0 ? nil : Int(index)
  }

  /// The name of a parameter.
  ///
  /// The corresponding SQLite function is `sqlite3_bind_parameter_name`, see
  /// <https://www.sqlite.org/c3ref/bind_parameter_name.html>.
  ///
  /// - Parameter index: The parameter, from 1.
  /// - Returns: The name with its first character, such as `:id`; nil for a plain `?` and where
  ///   there is no such parameter.
  public func parameterName(at index: Int) -> String? {
    sqlite3_bind_parameter_name(handle, Int32(clamping: index)).map { String(cString: $0) }
  }

  /// Sets a parameter.
  ///
  /// The corresponding SQLite functions are `sqlite3_bind_int64` and its kin, see
  /// <https://www.sqlite.org/c3ref/bind_blob.html>.
  ///
  /// - Parameters:
  ///   - value: The value. A NaN becomes NULL.
  ///   - index: The parameter, from 1.
  /// - Throws: ``SQLiteError`` if there is no such parameter, the value is too big, or the
  ///   statement is busy.
  public func bind(_ value: StoredValue, at index: Int) throws(SQLiteError) {
    let index = Int32(clamping: index)
    let code: Int32
    switch value {
    case .null: code = sqlite3_bind_null(handle, index)
    case .integer(let number): code = sqlite3_bind_int64(handle, index, number)
    case .real(let number): code = sqlite3_bind_double(handle, index, number)
    case .text(var text): code = text.withUTF8 { bind(text: UnsafeRawBufferPointer($0), index) }
    case .malformedText(let bytes): code = bytes.withUnsafeBytes { bind(text: $0, index) }
    case .blob(let bytes):
      code = bytes.withUnsafeBytes {
        historywatch_bind_blob(handle, index, $0.baseAddress, UInt64($0.count))
      }
    }
    guard code == SQLITE_OK else { throw failure() }
  }

  private func bind(text: UnsafeRawBufferPointer, _ index: Int32) -> Int32 {
    let characters = text.assumingMemoryBound(to: CChar.self)
    return historywatch_bind_text(
      handle, index, characters.baseAddress, UInt64(characters.count))
  }

  /// Sets all parameters.
  ///
  /// - Parameter arguments: One value for each.
  /// - Throws: ``SQLiteError``, with `.range` if there are more or fewer values than parameters.
  public func bind(_ arguments: [StoredValue]) throws(SQLiteError) {
    guard arguments.count == parameterCount else {
      throw SQLiteError(
        code: .range, message: "\(arguments.count) values for \(parameterCount) parameters",
        sql: sql)
    }
    var index = 1
    for argument in arguments {
      try bind(argument, at: index)
      index += 1
    }
  }

  /// Sets a named parameter.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - name: The name with its first character, such as `:id`.
  /// - Throws: ``SQLiteError``, with `.range` if there is no such parameter.
  public func bind(_ value: StoredValue, named name: String) throws(SQLiteError) {
    guard let index = parameterIndex(named: name) else {
      throw SQLiteError(code: .range, message: "there is no parameter \(name)", sql: sql)
    }
    try bind(value, at: index)
  }

  /// Sets all parameters to NULL.
  ///
  /// The corresponding SQLite function is `sqlite3_clear_bindings`, see
  /// <https://www.sqlite.org/c3ref/clear_bindings.html>.
  package func clearBindings() { sqlite3_clear_bindings(handle) }
}

extension Statement {
  /// Gives a parameter the value of a cell, without making a value of it on the way.
  ///
  /// - Parameters:
  ///   - cell: The value.
  ///   - buffer: The buffer that the cell belongs to.
  ///   - index: The parameter's index, from 1.
  /// - Throws: ``SQLiteError`` when the index is out of range or memory is out.
  /// - Complexity: O(*n*) for *n* bytes of text or blob.
  package func bind(
    _ cell: CellBuffer.Cell, of buffer: CellBuffer, at index: Int
  ) throws(SQLiteError) {
    let place = Int32(clamping: index)
    let code: Int32
    switch cell.storage {
    case .null: code = sqlite3_bind_null(handle, place)
    case .integer: code = sqlite3_bind_int64(handle, place, Int64(bitPattern: cell.payload))
    case .real: code = sqlite3_bind_double(handle, place, Double(bitPattern: cell.payload))
    case .text: code = buffer.content(of: cell).withUnsafeBytes { bind(text: $0, place) }
    case .blob:
      code = buffer.content(of: cell).withUnsafeBytes {
        historywatch_bind_blob(handle, place, $0.baseAddress, UInt64($0.count))
      }
    }
    guard code == SQLITE_OK else { throw failure() }
  }
}
