import HistoryModel
import Testing

@Suite("Query arguments")
struct QueryArgumentsTests {
  @Test(
    "a typed value is a number, NULL, a blob or a quoted text where SQL would say so, else text",
    arguments: [
      ("7", 7), ("-7", -7), ("007", 7), ("0", 0),
      ("9223372036854775807", 9_223_372_036_854_775_807),
      ("-9223372036854775808", .integer(.min)),
      ("9223372036854775808", 9_223_372_036_854_775_808.0),
      ("1.5", 1.5), ("-1.5", -1.5), (".5", 0.5), ("-.5", -0.5), ("5.", 5.0), ("5.e1", 50.0),
      ("1e3", 1000.0), ("1E-1", 0.1), ("1.0", 1.0), ("-0.0", .real(-0.0)),
      ("NULL", nil), ("null", nil), ("x'00fF'", .blob([0, 255])), ("X''", .blob([])),
      ("'7'", "7"), ("''", ""), ("'it''s'", "it's"), ("''''", "'"),
      ("", ""), ("open", "open"), ("+7", "+7"), ("-", "-"), (".", "."), ("-.", "-."), ("e3", "e3"),
      ("1e", "1e"), ("1e+", "1e+"), ("1.5.5", "1.5.5"), ("1 ", "1 "), ("0x10", "0x10"),
      ("inf", "inf"), ("nan", "nan"), ("1_000", "1_000"), ("١", "١"), ("'a", "'a"), ("'", "'"),
      ("'a'b'", "'a'b'"), ("x'0'", "x'0'"), ("x'0g'", "x'0g'"), ("'''", "'''"), ("NULLS", "NULLS"),
      ("\"a\"", "\"a\""),
    ] as [(String, StoredValue)])
  func typed(text: String, expected: StoredValue) {
    #expect(StoredValue(typed: text) == expected)
  }

  @Test(
    "an assignment is a name and a value with an equals sign between them",
    arguments: [
      ("what=d", "what", "d"), (":n=1=2", ":n", "1=2"), ("empty=", "empty", ""), ("1=7", "1", 7),
      ("=x", nil, nil), ("x", nil, nil), ("", nil, nil),
    ] as [(String, String?, StoredValue?)])
  func assignments(text: String, name: String?, value: StoredValue?) {
    let assignment = QueryArguments.assignment(typed: text)
    #expect(assignment?.name == name)
    #expect(assignment?.value == value)
  }

  @Test("literals are by position or by name")
  func literals() {
    #expect(QueryArguments().isEmpty)
    #expect(([1, "a", nil] as QueryArguments).positional == [1, "a", nil])
    #expect((["a": 1, "b": 2, "a": 3] as QueryArguments).named == ["a": 3, "b": 2])
  }
}
