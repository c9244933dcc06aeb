import HistoryModel
import HistoryObservation
import Testing

@testable import WatchServer

/// What a line asks of the server.
@Suite("Watch request")
struct WatchRequestTests {
  private func request(_ line: String) throws -> WatchRequest {
    try WatchRequest(line: Array(line.utf8)[...])
  }

  private func refusal(_ line: String) -> WatchRequest.Refusal? {
    do throws(WatchRequest.Refusal) {
      _ = try WatchRequest(line: Array(line.utf8)[...])
      return nil
    } catch {
      return error
    }
  }

  @Test("a subscription has the options of a stream as its fields")
  func subscribe() throws {
    let request = try request(
      #"{"operation":"subscribe","subscription":"a","database":"app.db","since":"oldest","limit":3,"#
        + #""table":["Tasks"],"op":["insert"],"author":["widget",null],"not-author":["app"],"#
        + #""group":"transaction","timeout":"10s","bookmark-interval":"0s","no-follow":true,"#
        + #""snapshot":"initial","on-expired":"oldest","consumer":"mailer","request":7}"#)
    guard case .subscribe("a", let stream, consumer: "mailer") = request.operation else {
      Issue.record("another operation was read")
      return
    }
    #expect(request.database == "app.db")
    #expect(request.envelope.request == .integer(7))
    #expect(stream.since == .oldest)
    #expect(stream.limit == 3)
    #expect(!stream.isFollowing)
    #expect(stream.timeout == .seconds(10))
    #expect(stream.bookmarkInterval == nil)
    #expect(stream.snapshot == .initial)
    #expect(stream.onExpired == .oldest)
    #expect(stream.group == .transaction)
    #expect(
      stream.filter
        == ChangeFilter(
          tables: ["tasks"], operations: [.insert], authors: ["widget", nil],
          excludedAuthors: ["app"]))
  }

  @Test("what is left out is as on the command line, but for bookmarks")
  func defaults() throws {
    guard
      case .subscribe(_, let stream, consumer: nil) = try request(
        #"{"operation":"subscribe","subscription":"a"}"#
      ).operation
    else {
      Issue.record("another operation was read")
      return
    }
    #expect(stream.since == .now)
    #expect(stream.isFollowing)
    #expect(stream.filter == ChangeFilter())
    #expect(stream.bookmarkInterval == .seconds(15))
  }

  @Test("a query has its parameters as lines write values")
  func results() throws {
    guard
      case .results("r", let query, isFollowing: true) = try request(
        #"{"operation":"results","subscription":"r","query":"SELECT :a","#
          + #""bind":{"a":{"$blob":"AAE="}},"key":"id","section":"b"}"#
      ).operation
    else {
      Issue.record("another operation was read")
      return
    }
    #expect(query.arguments.named == ["a": .blob([0, 1])])
    #expect(query.key == ["id"])
    #expect(query.section == "b")
  }

  @Test(
    "what cannot be done is refused with what is wrong, and with what could be read",
    arguments: [
      ("", "JSON"), ("{", "JSON"), ("[]", "object"), ("null", "object"), ("{}", "operation"),
      (#"{"operation":7}"#, "string"), (#"{"operation":"subscrib"}"#, "subscrib"),
      (#"{"operation":"subscribe"}"#, "subscription"),
      (#"{"operation":"subscribe","subscription":""}"#, "subscription"),
      (#"{"operation":"subscribe","subscription":"a","sinse":"now"}"#, "sinse"),
      (#"{"operation":"subscribe","subscription":"a","since":"now1"}"#, "token"),
      (#"{"operation":"subscribe","subscription":"a","since":7}"#, "since"),
      (#"{"operation":"subscribe","subscription":"a","limit":-1}"#, "limit"),
      (#"{"operation":"subscribe","subscription":"a","limit":1.5}"#, "limit"),
      (#"{"operation":"subscribe","subscription":"a","op":["drop"]}"#, "op"),
      (#"{"operation":"subscribe","subscription":"a","table":[1]}"#, "table"),
      (#"{"operation":"subscribe","subscription":"a","timeout":"soon"}"#, "timeout"),
      (#"{"operation":"subscribe","subscription":"a","group":"page"}"#, "group"),
      (#"{"operation":"subscribe","subscription":"a","cursor-file":"x"}"#, "cursor-file"),
      (#"{"operation":"subscribe","subscription":"a","no-follow":"yes"}"#, "no-follow"),
      (#"{"operation":"subscribe","subscription":"a","timeline":["T"],"limit":1}"#, "limit"),
      (#"{"operation":"results","subscription":"a"}"#, "query"),
      (#"{"operation":"results","subscription":"a","query":"SELECT 1","bind":[1]}"#, "bind"),
      (#"{"operation":"wait"}"#, "token"), (#"{"operation":"acknowledge"}"#, "consumer"),
      (#"{"operation":"ping","request":{}}"#, "request"),
      (#"{"operation":"ping","operation":"ping"}"#, "JSON"),
      (#"{"operation":"ping"} {}"#, "JSON"),
    ])
  func refused(line: String, word: String) throws {
    let refusal = try #require(self.refusal(line))
    #expect(refusal.error.message.contains(word), "\(refusal.error.message)")
    #expect(refusal.error.hint != nil || refusal.error.code == .invalidToken)
  }

  @Test("a refusal names the request, the operation and the subscription")
  func envelope() throws {
    let refusal = try #require(
      self.refusal(#"{"subscription":"s","x":1,"operation":"unsubscribe","request":"r"}"#))
    #expect(
      refusal.envelope
        == RequestEnvelope(request: "r", operation: "unsubscribe", subscription: "s"))
  }

  @Test("no value that a client sent is repeated in a message")
  func noValues() throws {
    let secret = "hunter2"
    for line in [
      #"{"operation":"results","subscription":"a","query":"\#(secret)","bind":7}"#,
      #"{"operation":"subscribe","subscription":"a","since":"\#(secret)"}"#,
      #"{"operation":"subscribe","subscription":"a","timeout":"\#(secret)"}"#,
      #"{"operation":"ping","request":"\#(secret)"#,
    ] {
      #expect(refusal(line)?.error.description.contains(secret) == false)
    }
  }
}
