import HistoryModel
import Testing

/// Lines to the letter: readers of any language parse them, so every character counts.
@Suite("Line encoder")
struct LineEncoderTests {
  private static let oldest = HistoryToken(
    storeIdentifier: HistoryTokenTests.store, epoch: 3, sequence: 1, check: 5)
  private static let token = HistoryToken(
    storeIdentifier: HistoryTokenTests.store, epoch: 3, sequence: 12, check: 6)
  private static let head = HistoryToken(
    storeIdentifier: HistoryTokenTests.store, epoch: 3, sequence: 20, check: 7)

  @Test(
    "hello",
    arguments: [
      (.new, "new"), (.continue, "continue"), (.snapshot, "snapshot"), (.reset, "reset"),
    ] as [(LineEncoder.Resume, String)])
  func hello(resume: LineEncoder.Resume, name: String) {
    let line = Self.line {
      $0.hello(resume, token: Self.token, oldest: Self.oldest, head: Self.head)
    }
    #expect(
      line == #"{"kind":"hello","format":1,"store":"01020304-0506-0708-090a-0b0c0d0e0f10","#
        + #""epoch":3,"resume":"\#(name)","token":"\#(Self.token)","oldest":"\#(Self.oldest)","#
        + #""head":"\#(Self.head)"}"# + "\n")
  }

  @Test("bookmark")
  func bookmark() {
    #expect(
      Self.line { $0.bookmark(Self.token) }
        == #"{"kind":"bookmark","token":"\#(Self.token)"}"# + "\n")
  }

  @Test("commit, tagged and untagged")
  func commit() {
    let tagged = TransactionRecord(
      number: 12, author: "widget", context: "a \"b\"", isTagged: true,
      timestamp: CalendarTime(milliseconds: 1_796_019_751_123), origin: HistoryTokenTests.store)
    #expect(
      Self.line { $0.commit(tagged, changes: 2, token: Self.token) }
        == #"{"kind":"commit","transaction":12,"changes":2,"author":"widget","#
        + #""context":"a \"b\"","tagged":true,"at":"2026-11-30T06:22:31.123Z","#
        + #""origin":"01020304-0506-0708-090a-0b0c0d0e0f10","token":"\#(Self.token)"}"# + "\n")
    #expect(
      Self.line { $0.commit(TransactionRecord(number: 7), changes: 1, token: Self.token) }
        == #"{"kind":"commit","transaction":7,"changes":1,"author":null,"context":null,"#
        + #""tagged":false,"at":null,"token":"\#(Self.token)"}"# + "\n")
  }

  @Test("a whole transaction in one line")
  func grouped() {
    let record = TransactionRecord(number: 12, author: "app", isTagged: true)
    #expect(
      Self.line { $0.transaction(record, changes: Array("{1},{2}".utf8), token: Self.token) }
        == #"{"kind":"transaction","transaction":12,"author":"app","context":null,"#
        + #""tagged":true,"at":null,"token":"\#(Self.token)","changes":[{1},{2}]}"# + "\n")
  }

  @Test(
    "schema, every action",
    arguments: [
      (.columnsAdded(["due", "a\"b"]), #""action":"columns-added","columns":["due","a\"b"]"#),
      (.columnsRemoved(["due"]), #""action":"columns-removed","columns":["due"]"#),
      (.columnsRenamed(["due"]), #""action":"columns-renamed","columns":["due"]"#),
      (.tableRenamed("jobs"), #""action":"table-renamed","to":"jobs""#),
      (.tableDropped, #""action":"table-dropped""#),
    ] as [(CaptureNotice.SchemaAction, String)])
  func schema(action: CaptureNotice.SchemaAction, fields: String) {
    let notice = CaptureNotice(table: "tasks", .schema(action))
    #expect(
      Self.line { $0.notice(notice, token: Self.token) }
        == #"{"kind":"schema","table":"tasks",\#(fields),"token":"\#(Self.token)"}"# + "\n")
    #expect(
      Self.line { $0.notice(notice, token: nil) }
        == #"{"kind":"schema","table":"tasks",\#(fields)}"# + "\n")
  }

  @Test(
    "gap, every reason",
    arguments: [
      (.captureWasMissing, "capture-was-missing"),
      (.columnsWereNotCaptured, "columns-were-not-captured"),
      (.rowIDsMayHaveChanged, "rowids-may-have-changed"), (.migrated, "migrated"),
    ] as [(CaptureNotice.GapReason, String)])
  func gap(reason: CaptureNotice.GapReason, name: String) {
    #expect(
      Self.line { $0.notice(CaptureNotice(table: "tasks", .gap(reason)), token: Self.token) }
        == #"{"kind":"gap","table":"tasks","reason":"\#(name)","token":"\#(Self.token)"}"# + "\n")
  }

  @Test(
    "expired, every reason",
    arguments: [
      (.trimmed, "trimmed"), (.storeReplaced, "store-replaced"),
      (.storeRestored, "store-restored"), (.historyDropped, "history-dropped"),
    ] as [(ExpiryReason, String)])
  func expired(reason: ExpiryReason, name: String) {
    #expect(
      Self.line {
        $0.expired(requested: "hw1.x", oldest: Self.oldest, head: Self.head, reason: reason)
      }
        == #"{"kind":"expired","requested":"hw1.x","oldest":"\#(Self.oldest)","#
        + #""head":"\#(Self.head)","reason":"\#(name)"}"# + "\n")
    #expect(
      Self.line { $0.expired(requested: "hw1.x", oldest: nil, head: nil, reason: reason) }
        == #"{"kind":"expired","requested":"hw1.x","reason":"\#(name)"}"# + "\n")
  }

  @Test(
    "bye, every reason",
    arguments: [
      (.end, "end"), (.limit, "limit"), (.timeout, "timeout"), (.signal, "signal"),
      (.expired, "expired"), (.slow, "slow"), (.error, "error"),
    ] as [(ByeReason, String)])
  func bye(reason: ByeReason, name: String) {
    #expect(
      Self.line { $0.bye(reason, token: Self.token) }
        == #"{"kind":"bye","reason":"\#(name)","token":"\#(Self.token)"}"# + "\n")
    #expect(
      Self.line { $0.bye(reason, message: "no\nroom", token: nil) }
        == #"{"kind":"bye","reason":"\#(name)","message":"no\nroom"}"# + "\n")
  }

  @Test("the lines around a snapshot's rows")
  func snapshot() {
    #expect(
      Self.line {
        $0.snapshotBegin(
          Self.token,
          tables: [
            TableDefinition(table: "a", sql: "CREATE TABLE a(\n\"b\")"),
            TableDefinition(table: "c", sql: "CREATE TABLE c(d)"),
          ])
      }
        == #"{"kind":"snapshot-begin","token":"\#(Self.token)","tables":["#
        + #"{"table":"a","sql":"CREATE TABLE a(\n\"b\")"},{"table":"c","sql":"CREATE TABLE c(d)"}]}"#
        + "\n")
    #expect(
      Self.line { $0.snapshotEnd(Self.token) }
        == #"{"kind":"snapshot-end","token":"\#(Self.token)"}"# + "\n")
  }

  @Test("lines are appended one after the other")
  func appended() {
    let both = Self.line {
      $0.bookmark(Self.token)
      $0.bookmark(Self.head)
    }
    #expect(both == Self.line { $0.bookmark(Self.token) } + Self.line { $0.bookmark(Self.head) })
  }

  static func line(_ body: (inout LineEncoder) -> Void) -> String {
    var encoder = LineEncoder()
    body(&encoder)
    return String(decoding: encoder.bytes, as: UTF8.self)
  }
}
