import HTTPServer
import HistoryModel
import HistoryObservation
import Testing

@testable import WatchServer

/// What a browser asks for at `/events`.
@Suite("Event query")
struct EventQueryTests {
  private static let token = HistoryToken(
    storeIdentifier: StoreIdentifier(), epoch: 1, sequence: 3, check: 7)

  private func query(_ text: String, lastEventID: String? = nil) throws -> EventQuery {
    try EventQuery(
      HTTPRequest(
        .get, target: Array("/events?\(text)".utf8),
        headers: lastEventID.map { [HTTPField("Last-Event-ID", $0)] } ?? []))
  }

  @Test(
    "where a browser comes back it goes on from what it has, whatever its address says",
    arguments: ["", "since=oldest", "consumer=mailer", "consumer=mailer&since=oldest"])
  func comingBack(text: String) throws {
    let first = try query(text)
    #expect(first.consumer == (text.contains("mailer") ? "mailer" : nil))
    for empty in [nil, ""] {
      #expect(try query(text, lastEventID: empty).request.since == first.request.since)
    }
    let again = try query(text, lastEventID: Self.token.description)
    #expect(again.consumer == nil)
    #expect(again.request.since == .after(Self.token))
  }

  @Test(
    "authors who are all left out again are a mistake, and not a stream that waits for ever",
    arguments: [
      "author=a&not-author=a", "author=&not-author=", "author=a&not-author=b&not-author=a",
    ])
  func nobody(text: String) throws {
    #expect(throws: HistoryError.self) { try query(text) }
    #expect(throws: HistoryError.self) {
      try LogQuery(HTTPRequest(.get, target: Array("/log?\(text)".utf8)))
    }
    #expect(try query(text + "&author=c").request.filter.authors.count == 2)
  }
}
