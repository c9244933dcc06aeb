import HistoryModel
import HistoryObservation
import Testing
import WatchClient

@testable import HistoryCommands

@Suite("Stream passage")
struct StreamPassageTests {
  private static let store = StoreIdentifier()

  private static func token(_ sequence: Int64) -> HistoryToken {
    HistoryToken(storeIdentifier: store, epoch: 1, sequence: sequence, check: 7)
  }

  /// A line as the output gets it.
  private static func plain(_ encode: (inout LineEncoder) -> Void) -> String {
    var encoder = LineEncoder()
    encode(&encoder)
    return String(decoding: encoder.bytes, as: UTF8.self)
  }

  /// A line as the server sends it, for what the output gets.
  private static func sent(_ line: String) -> String {
    String(line.dropLast(2)) + #","subscription":"stream"}"#
  }

  private static let hello = plain {
    $0.hello(.new, token: token(1), oldest: token(0), head: token(9))
  }

  private static func change(_ transaction: Int, _ index: Int) -> String {
    #"{"kind":"change","transaction":\#(transaction),"index":\#(index),"author":null,"table":"t","#
      + #""op":"delete","key":{"id":\#(index)}}"# + "\n"
  }

  private static func commit(_ transaction: Int64, _ changes: Int) -> String {
    plain {
      $0.commit(TransactionRecord(number: transaction), changes: changes, token: token(transaction))
    }
  }

  /// Takes lines in, and says what comes out and what the last one means.
  private func take(
    _ lines: [String], _ passage: inout StreamPassage
  ) throws -> (String, StreamPassage.Step) {
    var output: [UInt8] = []
    var step = StreamPassage.Step.goOn
    for line in lines { step = try passage.take(Array(line.utf8)[...], into: &output) }
    return (String(decoding: output, as: UTF8.self), step)
  }

  @Test("lines go on as they are, without the subscription's name")
  func passing() throws {
    let lines = [
      Self.hello, Self.change(3, 0), Self.change(3, 4), Self.commit(3, 2),
      Self.plain { $0.bookmark(Self.token(5)) },
      Self.plain { $0.notice(CaptureNotice(table: "t", .gap(.migrated)), token: Self.token(6)) },
      #"{"kind":"wonder","new":"\",\"subscription\":\"stream\"}"}"# + "\n",
    ]
    let answers = [
      #"{"kind":"hello","protocol":1}"#,
      #"{"kind":"subscribed","subscription":"stream","database":"a"}"#,
      #"{"kind":"subscribed","database":"a","subscription":"stream"}"#,
    ]
    var passage = StreamPassage()
    let (output, _) = try take(answers + lines.map(Self.sent), &passage)
    #expect(output == lines.joined())
    #expect(passage.position == Self.token(6))
    #expect(passage.transactions == 1)
  }

  @Test("a break anywhere leaves no trace in the output", arguments: 0...7)
  func breaking(place: Int) throws {
    let lines = [
      Self.hello, Self.change(3, 0), Self.change(3, 4), Self.commit(3, 2), Self.change(5, 0),
      Self.change(5, 1), Self.commit(5, 2),
    ]
    var passage = StreamPassage()
    let (output, _) = try take(lines.prefix(place).map(Self.sent), &passage)
    #expect(passage.hasBegun == (place > 0))
    #expect(passage.connectionLost() == true)
    #expect(passage.connectionLost() == true)
    let again = Self.plain {
      $0.hello(.continue, token: Self.token(2), oldest: Self.token(0), head: Self.token(9))
    }
    // What follows the last commit that the output has got.
    let rest = lines[(place < 4 ? 1 : place < 7 ? 4 : 7)...]
    let (more, _) = try take(
      [Self.sent(place > 0 ? again : Self.hello)] + rest.map(Self.sent), &passage)
    #expect(output + more == lines.joined())
    #expect(passage.transactions == 2)
    #expect(passage.position == Self.token(5))
  }

  @Test("changes that come again in other transactions are not mixed up with the first")
  func regrouped() throws {
    let hello = Self.sent(Self.hello)
    for second in [[Self.change(6, 0)], [Self.change(5, 0), Self.commit(5, 1)]] {
      var passage = StreamPassage()
      _ = try take([hello, Self.sent(Self.change(5, 0)), Self.sent(Self.change(5, 1))], &passage)
      #expect(passage.connectionLost() == true)
      let (output, step) = try take([hello] + second.map(Self.sent), &passage)
      #expect(output.isEmpty)
      guard case .failed(let error) = step else {
        Issue.record("It cannot go on.")
        return
      }
      #expect(error.code == .temporary)
      #expect(passage.isConfused)
    }
  }

  @Test("rows that a break cut off cannot be gone on from")
  func snapshot() throws {
    var passage = StreamPassage()
    let begin = Self.plain { $0.snapshotBegin(Self.token(4), tables: []) }
    _ = try take([Self.sent(Self.hello), Self.sent(begin)], &passage)
    var other = passage
    #expect(other.connectionLost() == false)
    let end = Self.plain { $0.snapshotEnd(Self.token(4)) }
    _ = try take([Self.sent(end)], &passage)
    #expect(passage.connectionLost() == true)
    #expect(passage.position == Self.token(4))
  }

  @Test(
    "rows that have not all come move no position, and nothing goes on from them",
    arguments: [LineEncoder.Resume.snapshot, .reset])
  func rowsUnderWay(resume: LineEncoder.Resume) throws {
    for before in [[], [Self.hello, Self.change(3, 0), Self.commit(3, 1)]] {
      var passage = StreamPassage(onExpired: .snapshot)
      _ = try take(before.map(Self.sent), &passage)
      let position = passage.position
      let lines = [
        Self.plain {
          $0.hello(resume, token: Self.token(9), oldest: Self.token(7), head: Self.token(9))
        },
        Self.plain { $0.snapshotBegin(Self.token(9), tables: []) },
        #"{"kind":"row","table":"t","values":{"id":1}}"# + "\n",
      ]
      for line in lines {
        _ = try take([Self.sent(line)], &passage)
        #expect(passage.position == position)
        var broken = passage
        #expect(broken.connectionLost() == false)
      }
      _ = try take([Self.sent(Self.plain { $0.snapshotEnd(Self.token(9)) })], &passage)
      #expect(passage.position == Self.token(9))
      #expect(passage.connectionLost() == true)
    }
  }

  @Test(
    "a start that has expired leaves the position where it was, and a reset to the oldest moves it")
  func expiredStart() throws {
    let expired = Self.plain {
      $0.expired(requested: "hw1.x", oldest: Self.token(7), head: Self.token(9), reason: .trimmed)
    }
    for (resume, onExpired) in [
      (LineEncoder.Resume.new, StreamRequest.OnExpired.fail), (.continue, .fail),
      (.reset, .oldest), (.reset, .snapshot),
    ] {
      var passage = StreamPassage(onExpired: onExpired)
      let hello = Self.plain {
        $0.hello(resume, token: Self.token(7), oldest: Self.token(7), head: Self.token(9))
      }
      _ = try take([Self.sent(hello), Self.sent(expired)], &passage)
      #expect(passage.position == nil)
      guard onExpired == .oldest else { continue }
      _ = try take([Self.sent(hello)], &passage)
      #expect(passage.position == Self.token(7))
      // In the middle of the stream there is something to keep.
      _ = try take([Self.sent(Self.commit(8, 0)), Self.sent(expired)], &passage)
      #expect(passage.position == Self.token(8))
    }
  }

  @Test(
    "the end of the stream goes to the output, that of the server does not",
    arguments: [
      (#"{"kind":"bye","reason":"signal","subscription":"stream"}"#, "", .lost),
      (#"{"kind":"bye","reason":"signal"}"#, "", .lost),
      (#"{"kind":"bye","reason":"slow"}"#, "", .tooSlow),
      (#"{"kind":"bye","reason":"slow","subscription":"stream"}"#, "", .tooSlow),
      (
        #"{"kind":"bye","reason":"limit","subscription":"stream"}"#,
        #"{"kind":"bye","reason":"limit"}"# + "\n",
        .ended(.init(reason: .limit, message: nil, token: nil))
      ),
      (
        #"{"kind":"error","code":"notTracked","message":"no","subscription":"stream"}"#, "",
        .failed(HistoryError(.notTracked, "no"))
      ),
      (
        #"{"kind":"error","code":"temporary","message":"busy","request":"keep"}"#, "",
        .keepFailed(HistoryError(.temporary, "busy"))
      ),
      (
        #"{"kind":"acknowledged","consumer":"c","token":"\#(token(3))","request":"keep"}"#, "",
        .kept(token(3))
      ),
      (#"{"kind":"hello","protocol":2}"#, "", .failed(.unknownProtocol("the socket", 2))),
    ] as [(String, String, StreamPassage.Step)])
  func ends(line: String, output: String, step: StreamPassage.Step) throws {
    var passage = StreamPassage()
    let taken = try take([line], &passage)
    #expect(taken.0 == output)
    #expect(taken.1 == step)
  }

  @Test(
    "what no server sends is an error",
    arguments: ["", "x", "{}", #"{"kind":"bye","subscription":"stream"}"#])
  func garbage(line: String) {
    var passage = StreamPassage()
    #expect(throws: LineError.self) { try take([line], &passage) }
  }
}
