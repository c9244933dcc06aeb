// What of SQLite's interface Swift cannot import: variadic functions and SQLITE_TRANSIENT.
#pragma once
#include <sqlite3.h>

/// Binds text, which SQLite copies. `text` may be NULL only if there are no bytes; the value is
/// then empty text, not NULL.
static inline int historywatch_bind_text(
    sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 count) {
  return sqlite3_bind_text64(
      statement, index, text ? text : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// Binds a blob, which SQLite copies. `bytes` may be NULL only if there are none; the value is
/// then an empty blob, not NULL.
static inline int historywatch_bind_blob(
    sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_blob64(statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

/// One value of the current row.
typedef struct {
  int type;
  /// Whether it is text that holds nothing but ASCII that JSON takes as it is.
  int isPlain;
  /// The bits of an integer or a real.
  sqlite3_uint64 bits;
  const unsigned char *bytes;
  int count;
} historywatch_value;

/// Whether eight bytes hold one that is not ASCII, a control character, a quote or a backslash.
static inline int historywatch_is_special(sqlite3_uint64 word) {
  const sqlite3_uint64 ones = 0x0101010101010101ULL, tops = 0x8080808080808080ULL;
  sqlite3_uint64 quote = word ^ (ones * '"'), slash = word ^ (ones * '\\');
  return ((word | (word - ones * 0x20) | (quote - ones) | (slash - ones)) & tops) != 0;
}

static inline int historywatch_is_plain(const unsigned char *bytes, int count) {
  int place = 0;
  for (; place + 8 <= count; place += 8) {
    sqlite3_uint64 word;
    __builtin_memcpy(&word, bytes + place, 8);
    if (historywatch_is_special(word)) return 0;
  }
  for (; place < count; place++) {
    unsigned char byte = bytes[place];
    if (byte < 0x20 || byte >= 0x80 || byte == '"' || byte == '\\') return 0;
  }
  return 1;
}

/// Reads a column with one look-up, where the accessors of columns make one each.
///
/// Text of a UTF-8 database is taken as the bytes it is; asking for it as text would copy it in
/// order to put a NUL behind it.
static inline historywatch_value historywatch_column(
    sqlite3_stmt *statement, int index, int isUTF8) {
  historywatch_value result = {SQLITE_NULL, 0, 0, 0, 0};
  sqlite3_value *value = sqlite3_column_value(statement, index);
  result.type = sqlite3_value_type(value);
  switch (result.type) {
    case SQLITE_INTEGER:
      result.bits = (sqlite3_uint64)sqlite3_value_int64(value);
      break;
    case SQLITE_FLOAT: {
      double real = sqlite3_value_double(value);
      __builtin_memcpy(&result.bits, &real, 8);
      break;
    }
    case SQLITE_TEXT:
      result.bytes = isUTF8 ? (const unsigned char *)sqlite3_value_blob(value)
                            : sqlite3_value_text(value);
      result.count = sqlite3_value_bytes(value);
      result.isPlain = historywatch_is_plain(result.bytes, result.count);
      break;
    case SQLITE_BLOB:
      result.bytes = (const unsigned char *)sqlite3_value_blob(value);
      result.count = sqlite3_value_bytes(value);
      break;
    default:
      break;
  }
  return result;
}

/// Switches one of the yes-or-no settings of a connection.
static inline int historywatch_db_config(sqlite3 *connection, int setting, int isOn) {
  return sqlite3_db_config(connection, setting, isOn, (int *)0);
}
