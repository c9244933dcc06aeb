import HistoryModel
import Testing

@Suite("Line decoder")
struct LineDecoderTests {
  private static let token = LineRoundTripTests.token(4).description
  private static let change =
    #"{"kind":"change","transaction":12,"index":0,"author":"widget","table":"tasks","op":"update","#
    + #""key":{"id":7},"changed":["done"],"before":{"done":0},"after":{"done":1}}"#
  private static let commit =
    #"{"kind":"commit","transaction":12,"changes":1,"author":"widget","context":null,"#
    + #""tagged":true,"at":"2026-11-30T06:22:31.123Z","token":"\#(token)"}"#

  @Test("a change can be asked for what it says")
  func reading() throws {
    var decoder = LineDecoder()
    guard case .change(let line) = try decoder.decode(Array(Self.change.utf8)[...]) else {
      Issue.record("It is a change.")
      return
    }
    #expect(line.transaction == 12)
    #expect(line.author == "widget")
    #expect(line.change.table == "tasks")
    #expect(line.change.kind == .update(changedColumns: ["done"]))
    #expect(line.change.key == StoredRow(["id": 7]))
    #expect(line.change.before == StoredRow(["done": 0]))
    #expect(line.change.after == StoredRow(["done": 1]))
  }

  @Test(
    "fields and kinds that are not known are ignored",
    arguments: [
      (#"{"kind":"wonder","token":7}"#, .unknown(kind: "wonder")),
      (
        #"{"new":[{"a":1e999}],"kind":"bookmark","token":"\#(token)","subscription":"a"}"#,
        .bookmark(LineRoundTripTests.token(4))
      ),
    ] as [(String, StreamLine)])
  func ignored(text: String, expected: StreamLine) throws {
    var decoder = LineDecoder()
    #expect(try decoder.decode(Array(text.utf8)[...]) == expected)
  }

  @Test(
    "what is wrong is named with its part",
    arguments: [
      ("", "the text ends too early (column 1)"),
      ("[]", "an object is expected, not an array"),
      ("{}", "kind: it is missing"),
      (#"{"kind":7}"#, "kind: a string is expected, not a number"),
      (#"{"kind":"bookmark"}"#, "token: it is missing"),
      (#"{"kind":"bookmark","token":"hw1.secret"}"#, "token: it is no token, or was damaged"),
      (
        #"{"kind":"bookmark","kind":"bookmark"}"#,
        "the object has a member of this name already (column 20)"
      ),
      (#"{"kind":"bye","reason":"secret"}"#, "reason: there is no such word here"),
      (
        #"{"kind":"hello","format":2}"#, "format: this format is not known here"
      ),
      (#"{"kind":"gap","table":"t","reason":"secret"}"#, "reason: there is no such word here"),
      (#"{"kind":"schema","table":"t","action":"x"}"#, "action: there is no such word here"),
      (
        #"{"kind":"schema","table":"t","action":"columns-added","columns":["a",1]}"#,
        "columns: strings and nothing else is expected, not a number"
      ),
      (
        #"{"kind":"row","table":"t","key":{"id":1},"values":{"id":1,"secret":true}}"#,
        "values: column 2 has no value that SQLite stores"
      ),
    ])
  func errors(text: String, message: String) { expect(text, message) }

  @Test(
    "a change whose parts do not fit is refused",
    arguments: [
      (#""op":"update""#, #""op":"upsert""#, "op: there is no such word here"),
      (#""transaction":12"#, #""transaction":-1"#, "transaction: an integer from 0 on is expected"),
      (#""index":0"#, #""index":0.0"#, "index: an integer from 0 on is expected"),
      (#""author":"widget","#, "", "author: it is missing"),
      (#""author":"widget""#, #""author":7"#, "author: a string or null is expected, not a number"),
      (#""key":{"id":7}"#, #""key":{}"#, "key: a key has a column"),
      (#""key":{"id":7}"#, #""key":[7]"#, "key: an object is expected, not an array"),
      (#""key":{"id":7}"#, #""key":{"id":[7]}"#, "key: column 1 has no value that SQLite stores"),
      (#","before":{"done":0}"#, "", "before: it is missing"),
      (#","after":{"done":1}"#, "", "after: it is missing"),
      (#""after":{"done":1}"#, #""after":{"due":1}"#, "after: it has other columns than before"),
      (
        #""changed":["done"]"#, #""changed":["due"]"#,
        "changed: it does not name the columns whose values differ"
      ),
      (
        #""after":{"done":1}"#, #""after":{"done":0}"#,
        "changed: it does not name the columns whose values differ"
      ),
      (#""changed":["done"],"#, "", "changed: it is missing"),
      (#""op":"update""#, #""op":"insert""#, "before: this operation does not have it"),
      (#""op":"update""#, #""op":"delete""#, "after: this operation does not have it"),
      (
        #","changed":["done"],"before":{"done":0},"after":{"done":1}"#, #","changed":["done"]"#,
        "changed: only an update with images has it"
      ),
    ])
  func unfitting(part: String, other: String, message: String) {
    expect(replacing(part, with: other, in: Self.change), message)
  }

  @Test(
    "so is a commit",
    arguments: [
      (
        #""tagged":true"#, #""tagged":false"#,
        "tagged: a transaction is tagged when it has an author"
      ),
      (#""changes":1,"#, "", "changes: it is missing"),
      ("T06:22", "T24:22", "at: a time in UTC is expected"),
      (#""context":null,"#, "", "context: it is missing"),
      (#","token":"\#(token)""#, "", "token: it is missing"),
    ])
  func commits(part: String, other: String, message: String) {
    expect(replacing(part, with: other, in: Self.commit), message)
  }

  @Test("a change inside of a transaction is named by its place")
  func insideTransaction() {
    let change = replacing(#""transaction":12"#, with: #""transaction":13"#, in: Self.change)
    let line = replacing(
      #""changes":1,"#, with: "",
      in: replacing(#""kind":"commit""#, with: #""kind":"transaction""#, in: Self.commit))
    let text = String(line.dropLast()) + #","changes":["# + Self.change + "," + change + "]}"
    expect(text, "changes, element 2, transaction: it is that of another transaction")
  }

  @Test("a change and a commit that do not belong together are refused")
  func assembling() throws {
    var decoder = LineDecoder()
    guard case .change(let change) = try decoder.decode(Array(Self.change.utf8)[...]),
      case .commit(let record, _, let token) = try decoder.decode(Array(Self.commit.utf8)[...])
    else {
      Issue.record("They are a change and a commit.")
      return
    }
    var assembler = TransactionAssembler()
    #expect(throws: LineError("so many did not come", in: "changes")) {
      try assembler.commit(record, changes: 1, token: token)
    }
    try assembler.append(change)
    #expect(assembler.isInTransaction)
    #expect(throws: LineError("it does not grow", in: "index")) { try assembler.append(change) }
    let other = TransactionRecord(number: 13, author: "widget", isTagged: true)
    #expect(throws: LineError("it is another one that has not ended", in: "transaction")) {
      try assembler.commit(other, changes: 1, token: token)
    }
    assembler.dropUnfinished()
    try assembler.append(change)
    #expect(try assembler.commit(record, changes: 1, token: token).changes.count == 1)
  }

  private func expect(
    _ text: String, _ message: String, location: SourceLocation = #_sourceLocation
  ) {
    var decoder = LineDecoder()
    do throws(LineError) {
      let line = try decoder.decode(Array(text.utf8)[...])
      Issue.record("It was read as \(line).", sourceLocation: location)
    } catch {
      #expect(error.description == message, sourceLocation: location)
    }
  }

  private func replacing(_ part: String, with other: String, in text: String) -> String {
    let pieces = text.split(separator: part, maxSplits: 1, omittingEmptySubsequences: false)
    #expect(pieces.count == 2)
    return pieces.joined(separator: other)
  }
}
