private import CSQLite

/// The SQLite library in use, which may be another than the one compiled against.
public enum SQLiteLibrary {
  /// The version, such as `3.40.1`.
  ///
  /// The corresponding SQLite function is `sqlite3_libversion`, see
  /// <https://www.sqlite.org/c3ref/libversion.html>.
  public static var version: String { String(cString: sqlite3_libversion()) }

  /// The version as a number that can be compared, such as 3040001.
  ///
  /// The corresponding SQLite function is `sqlite3_libversion_number`, see
  /// <https://www.sqlite.org/c3ref/libversion.html>.
  public static var versionNumber: Int32 { sqlite3_libversion_number() }

  /// The date and checksum of the source it was built from.
  ///
  /// The corresponding SQLite function is `sqlite3_sourceid`, see
  /// <https://www.sqlite.org/c3ref/libversion.html>.
  public static var sourceID: String { String(cString: sqlite3_sourceid()) }

  /// Whether it was built with an option.
  ///
  /// The corresponding SQLite function is `sqlite3_compileoption_used`, see
  /// <https://www.sqlite.org/c3ref/compileoption_get.html>.
  ///
  /// - Parameter option: The option's name, with or without `SQLITE_` before it.
  /// - Returns: Whether it was.
  package static func compileOptionUsed(_ option: String) -> Bool {
    sqlite3_compileoption_used(option) != 0
  }

  /// Whether a text ends where a statement does, by its semicolon.
  ///
  /// A trigger's own statements do not end it. The corresponding SQLite function is
  /// `sqlite3_complete`, see <https://www.sqlite.org/c3ref/complete.html>.
  ///
  /// - Parameter text: The text.
  /// - Returns: Whether it does.
  /// - Complexity: O(*n*) for *n* bytes.
  package static func isComplete(_ text: String) -> Bool { sqlite3_complete(text) == 1 }
}
