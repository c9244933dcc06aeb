import HistoryModel
import HistoryTestSupport
import Testing

@testable import HistorySync

@Suite("Relay packer")
struct RelayPackerTests {
  private static let store = StoreIdentifier()

  private func token(_ sequence: Int) -> HistoryToken {
    HistoryToken(storeIdentifier: Self.store, epoch: 1, sequence: Int64(sequence), check: 7)
  }

  /// Transactions, each of lines; the token after each is its number, from 1.
  private func transactions(_ seed: UInt64) -> [[[UInt8]]] {
    var generator = SeededGenerator(seed: seed)
    return (0..<40).map { number in
      (0..<([1, 2, 3, 30].randomElement(using: &generator) ?? 1)).map { line in
        let length = [2, 5, 9, 60].randomElement(using: &generator) ?? 2
        return Array("\(number).\(line) ".utf8) + Array(repeating: 120, count: length) + [10]
      }
    }
  }

  /// What comes out from a place on, as far as a number of messages.
  private func messages(
    _ transactions: [[[UInt8]]], from place: RelayPosition, limit: Int, count: Int = .max
  ) throws -> [(body: [UInt8], from: RelayPosition, to: RelayPosition)] {
    var packer = RelayPacker(at: place, limit: limit)
    var messages: [(body: [UInt8], from: RelayPosition, to: RelayPosition)] = []
    for number in Int(place.token.sequence)..<transactions.count {
      for (index, line) in transactions[number].enumerated() {
        let isLast = index == transactions[number].count - 1
        try packer.take(line, endsAt: isLast ? token(number + 1) : nil)
        while let message = packer.next(isFlushing: false) { messages.append(message) }
      }
    }
    while let message = packer.next(isFlushing: true) { messages.append(message) }
    return Array(messages.prefix(count))
  }

  @Test("whatever the limits, and wherever one goes on, the lines come once and in order")
  func anyLimits() throws {
    for seed in UInt64(1)...30 {
      let transactions = transactions(seed)
      let all = transactions.joined().reduce(into: [UInt8]()) { $0 += $1 }
      var generator = SeededGenerator(seed: seed)
      var place = RelayPosition(token(0))
      var bodies: [UInt8] = []
      while place.token.sequence < transactions.count {
        let limit = Int.random(in: 10...300, using: &generator)
        let count = Int.random(in: 1...4, using: &generator)
        let some = try messages(transactions, from: place, limit: limit, count: count)
        for message in some {
          #expect(message.from == place)
          #expect(message.body.count <= limit)
          place = message.to
          bodies += message.body
        }
      }
      #expect(bodies == all)
    }
  }

  @Test("a message has whole transactions, or a part of one and nothing else")
  func wholeOrPart() throws {
    for seed in UInt64(1)...30 {
      let transactions = transactions(seed)
      for message in try messages(transactions, from: RelayPosition(token(0)), limit: 100) {
        if message.from.isBoundary, message.to.isBoundary { continue }
        #expect(message.to.token.sequence - message.from.token.sequence <= 1)
        #expect(message.to.isBoundary || message.to.token == message.from.token)
      }
    }
  }

  @Test("small transactions share a message")
  func packed() throws {
    let transactions = (0..<10).map { [Array("\($0)\n".utf8)] }
    let packed = try messages(transactions, from: RelayPosition(token(0)), limit: 100)
    #expect(packed.map(\.to) == [RelayPosition(token(10))])
  }

  @Test("what is out already and does not come again is found out")
  func other() throws {
    let transactions = [[Array("a\n".utf8), Array("b\n".utf8)]]
    for place in [
      RelayPosition(token(0), lines: 2), RelayPosition(token(0), lines: 3),
      RelayPosition(token(0), lines: 1, bytes: 5),
    ] {
      #expect(throws: HistoryError.self) { try messages(transactions, from: place, limit: 100) }
    }
  }

  @Test("a place is read as it is written")
  func text() {
    for place in [
      RelayPosition(token(3)), RelayPosition(token(3), lines: 4),
      RelayPosition(token(3), lines: 0, bytes: 9), RelayPosition(token(3), lines: 2, bytes: 1),
    ] {
      #expect(RelayPosition(place.description) == place)
      #expect(RelayMark("\(RelayMark.at(place))") == .at(place))
    }
    #expect(RelayMark("rows") == .rows)
    for text in [
      "", "rows+1", "\(token(3))+", "\(token(3))+1/", "\(token(3))+1/0", "\(token(3))+-1",
    ] {
      #expect(RelayMark(text) == nil)
    }
  }
}
