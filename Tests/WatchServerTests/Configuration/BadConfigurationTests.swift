import HistoryModel
import Testing
import WatchServer

/// Text, line and column, and the reason.
struct BadConfiguration: Sendable, CustomTestStringConvertible {
  let text: String
  let place: String
  let reason: String
  var testDescription: String { String(text.prefix(60)) }

  init(_ text: String, _ place: String, _ reason: String) {
    (self.text, self.place, self.reason) = (text, place, reason)
  }

  /// A member of a kind, which stands alone in the third line.
  static func kind(_ member: String, _ place: String, _ reason: String) -> BadConfiguration {
    BadConfiguration("{\"reloads\": [\n{\"timeline\": \"W\",\n\(member)}]}", "3:\(place)", reason)
  }
}

@Suite("Configuration files that are refused")
struct BadConfigurationTests {
  private typealias Bad = BadConfiguration

  private static let long = String(repeating: "x", count: 256)

  static let notJSON: [BadConfiguration] = [
    Bad("", "1:1", "the text ends too early"),
    Bad("  ", "1:3", "the text ends too early"),
    Bad("{", "1:2", "the text ends too early"),
    Bad("{\n\"keep\": \"7d\",\n}", "3:1", "a comma must be followed by another element"),
    Bad("{'keep': 1}", "1:2", "a name in double quotes is expected"),
    Bad("{\"keep\" \"7d\"}", "1:9", "a colon is expected after the name"),
    Bad("{\"keep\": \"7d\"", "1:14", "the text ends too early"),
    Bad("// c\n{}", "1:1", "JSON has no comments"),
    Bad("{} {}", "1:4", "nothing may follow the value"),
    Bad(
      "{\n\"keep\": \"7d\",\n\"keep\": \"8d\"}", "3:1",
      "the object has a member of this name already"),
    Bad("{\"keep\": True}", "1:10", "only true, false and null may stand without quotes"),
    Bad("{\"keep\": 07}", "1:11", "a number must not begin with a zero that another digit follows"),
    Bad("{\"keep\": \"\u{1}\"}", "1:11", "a control character in a string must be escaped"),
    Bad("{\"keep\": \"\\x\"}", "1:12", "there is no such escape"),
    Bad("{\"keep\": \"\\ud800\"}", "1:11", "half of a surrogate pair means nothing alone"),
    Bad("\u{feff}{}", "1:1", "the text must not begin with a byte order mark"),
    Bad("[[[[[[[[[]]]]]]]]]", "1:9", "arrays and objects are nested too deeply"),
  ]

  static let file: [BadConfiguration] = [
    Bad("[]", "1:1", "an object is expected, not an array"),
    Bad("null", "1:1", "an object is expected, not null"),
    Bad("\n\n 7", "3:2", "an object is expected, not a number"),
    Bad("{\n\"database\": []}", "2:1", "\"database\" is unknown here"),
    Bad("{\"\": 1}", "1:2", "\"\" is unknown here"),
    Bad("{\"Keep\": \"7d\"}", "1:2", "\"Keep\" is unknown here"),
    Bad("{\"databases\": \"app.db\"}", "1:2", "\"databases\" takes a list of paths, not a string"),
    Bad("{\"databases\": []}", "1:2", "\"databases\" is empty"),
    Bad(
      "{\"databases\": [\"a\",\n7]}", "2:1",
      "\"databases\" takes a list of paths, and this is a number"),
    Bad("{\"databases\": [\"\"]}", "1:16", "\"databases\" has an empty text"),
    Bad("{\"databases\": [\"a\\u0000b\"]}", "1:16", "\"databases\" has a text with U+0000"),
    Bad("{\"databases\": [\"a\",\n\"a\"]}", "2:1", "\"databases\" has \"a\" twice"),
    Bad("{\"databases\": [\"a\",\n\"./a\"]}", "2:1", "\"databases\" names \"a\" twice"),
    Bad("{\n\"keep\": 7}", "2:1", "\"keep\" takes a duration such as 7d, not a number"),
    Bad("{\"keep\": null}", "1:2", "\"keep\" takes a duration such as 7d, not null"),
    Bad("{\"keep\": \"7\"}", "1:2", "\"keep\" takes a duration such as 7d, not \"7\""),
    Bad("{\"keep\": \"a week\"}", "1:2", "\"keep\" takes a duration such as 7d, not \"a week\""),
    Bad("{\"keep\": \"-7d\"}", "1:2", "\"keep\" takes a duration such as 7d, not \"-7d\""),
    Bad("{\"keep\": \"0s\"}", "1:2", "\"keep\" is less than 1s"),
    Bad("{\"keep\": \"36526d\"}", "1:2", "\"keep\" is more than 36525d"),
    Bad("{\"keepSize\": \"7d\"}", "1:2", "\"keepSize\" takes a size such as 256MB, not \"7d\""),
    Bad(
      "{\"keepSize\": true}", "1:2", "\"keepSize\" takes a size such as 256MB, not a truth value"),
    Bad("{\"keepSize\": \"63KB\"}", "1:2", "\"keepSize\" is less than 64KB"),
    Bad("{\"keepSize\": \"1048577GB\"}", "1:2", "\"keepSize\" is more than 1048576GB"),
    Bad("{\"reloads\": {}}", "1:2", "\"reloads\" takes a list of kinds, not an object"),
    Bad("{\"reloads\": [\n3]}", "2:1", "an object is expected, not a number"),
    Bad("{\"reloads\": [\n{}]}", "2:1", "\"timeline\" is missing"),
    Bad(
      "{\"reloads\": [{\"timeline\": \"W\"},\n{\"command\": [\"x\"],\n\"timeline\": \"W\"}]}",
      "3:1",
      "the database has a timeline \"W\" already"),
    Bad(
      "{\"databases\": [\"b\"], \"reloads\": [\n{\"timeline\": \"W\"}]}", "2:1",
      "\"database\" is missing, and several databases are served"),
  ]

  static let kinds: [BadConfiguration] = [
    .kind("\"tabels\": []", "1", "\"tabels\" is unknown here"),
    .kind("\"database\": \"other.db\"", "1", "\"database\" names none that is served"),
    .kind("\"database\": 1", "1", "\"database\" takes a path, not a number"),
    .kind("\"database\": \"\"", "1", "\"database\" has an empty text"),
    .kind("\"tables\": \"tasks\"", "1", "\"tables\" takes a list of table names, not a string"),
    .kind("\"tables\": []", "1", "\"tables\" is empty"),
    .kind("\"tables\": [\"t\", \"\"]", "17", "\"tables\" has an empty text"),
    .kind("\"tables\": [\"t\", \"t\"]", "17", "\"tables\" has \"t\" twice"),
    .kind(
      "\"tables\": [\"\(long)\"]", "12", "\"tables\" has a text of more than 255 bytes"),
    .kind(
      "\"columns\": [null]", "13", "\"columns\" takes a list of column names, and this is null"),
    .kind(
      "\"operations\": [\"insrt\"]", "16",
      "\"operations\" takes \"insert\", \"update\" or \"delete\", not \"insrt\""),
    .kind(
      "\"operations\": [1]", "16", "\"operations\" takes a list of operations, and this is a number"
    ),
    .kind(
      "\"authors\": [\"a\"], \"notAuthors\": [\"a\"]", "1",
      "every author of \"authors\" is left out again"),
    .kind(
      "\"ignoreAuthor\": \"a\", \"authors\": [\"a\"]", "22",
      "every author of \"authors\" is left out again"),
    .kind("\"ignoreAuthor\": \"\"", "1", "\"ignoreAuthor\" has an empty text"),
    .kind("\"debounce\": 250", "1", "\"debounce\" takes a duration such as 250ms, not a number"),
    .kind("\"debounce\": \"250\"", "1", "\"debounce\" takes a duration such as 250ms, not \"250\""),
    .kind("\"debounce\": \"25h\"", "1", "\"debounce\" is more than 1d"),
    .kind("\"maxWait\": \"2 s\"", "1", "\"maxWait\" takes a duration such as 2s, not \"2 s\""),
    .kind("\"maxWait\": \"2d\"", "1", "\"maxWait\" is more than 1d"),
    .kind("\"minInterval\": []", "1", "\"minInterval\" takes a duration such as 1m, not an array"),
    .kind("\"minInterval\": \"367d\"", "1", "\"minInterval\" is more than 366d"),
    .kind("\"budget\": \"40\"", "1", "\"budget\" takes a budget such as 40/day, not \"40\""),
    .kind("\"budget\": \"0/day\"", "1", "\"budget\" takes a budget such as 40/day, not \"0/day\""),
    .kind("\"budget\": \"1000001/day\"", "1", "\"budget\" is more than 1000000/day"),
    .kind("\"onBusy\": \"drop\"", "1", "\"onBusy\" takes \"queue\" or \"restart\", not \"drop\""),
    .kind("\"onBusy\": 1", "1", "\"onBusy\" takes \"queue\" or \"restart\", not a number"),
    .kind(
      "\"command\": \"make all\"", "1",
      "\"command\" takes a list of a program and its arguments, not a string"),
    .kind("\"command\": []", "1", "\"command\" is empty"),
    .kind("\"command\": [\"\", \"x\"]", "13", "\"command\" has an empty program"),
    .kind("\"command\": [\"x\", \"a\\u0000\"]", "18", "\"command\" has a text with U+0000"),
    .kind("\"subscribers\": 1", "1", "\"subscribers\" takes true or false, not a number"),
    .kind("\"subscribers\": false", "1", "the kind has neither a command nor subscribers"),
    Bad("{\"reloads\": [{\n\"timeline\": 7}]}", "2:1", "\"timeline\" takes a name, not a number"),
    Bad("{\"reloads\": [{\n\"timeline\": \"\"}]}", "2:1", "\"timeline\" has an empty text"),
    Bad(
      "{\"reloads\": [{\n\"timeline\": \"a\\n\"}]}", "2:1", "\"timeline\" has a control character"),
    Bad(
      "{\"reloads\": [{\n\"timeline\": \"\(long)\"}]}", "2:1",
      "\"timeline\" has a text of more than 255 bytes"),
  ]

  private func check(_ bad: BadConfiguration) {
    let error = #expect(throws: HistoryError.self) {
      try ServerConfiguration(parsing: Array(bad.text.utf8), path: "serve.json", given: ["app.db"])
    }
    #expect(error?.code == .usage)
    #expect(error?.message == "serve.json:\(bad.place): \(bad.reason)")
    #expect(error?.hint != nil)
  }

  @Test("what is no JSON", arguments: notJSON)
  func refusesText(bad: BadConfiguration) { check(bad) }

  @Test("what a file cannot say", arguments: file)
  func refusesFile(bad: BadConfiguration) { check(bad) }

  @Test("what a kind cannot say", arguments: kinds)
  func refusesKind(bad: BadConfiguration) { check(bad) }

  @Test("a mistyped word is told with what was probably meant")
  func hints() {
    let hint = { (text: String) in
      #expect(throws: HistoryError.self) {
        try ServerConfiguration(parsing: Array(text.utf8), path: "f", given: ["app.db"])
      }?.hint
    }
    #expect(hint(#"{"kep": "7d"}"#) == "did you mean \"keep\"?")
    #expect(hint(#"{"reloads": [{"timeline": "W", "tabels": []}]}"#) == "did you mean \"tables\"?")
    #expect(
      hint(#"{"reloads": [{"timeline": "W", "operations": ["insrt"]}]}"#)
        == "did you mean \"insert\"?")
    #expect(
      hint(#"{"reloads": [{"timeline": "W", "database": "ap.db"}]}"#)
        == "did you mean \"app.db\"?")
  }

  @Test("a kind needs a database")
  func noDatabase() {
    let error = #expect(throws: HistoryError.self) {
      try ServerConfiguration(
        parsing: Array(#"{"reloads": [{"timeline": "W"}]}"#.utf8), path: "f")
    }
    #expect(error?.message == "f:1:14: no database is served that the kind could be of")
  }

  @Test("a list that is too long is told at the first element too many")
  func tooMany() {
    let kinds = (0...1024).map { "\n{\"timeline\":\"W\($0)\"}" }.joined(separator: ",")
    let error = #expect(throws: HistoryError.self) {
      try ServerConfiguration(
        parsing: Array("{\"reloads\":[\(kinds)]}".utf8), path: "f", given: ["app.db"])
    }
    #expect(error?.message == "f:1026:1: \"reloads\" has more than 1024 elements")
  }
}
