import HistoryModel
import Testing

@Suite("History token")
struct HistoryTokenTests {
  static let store = StoreIdentifier(bytes: 1...16) ?? StoreIdentifier()
  static let tokens: [HistoryToken] = [
    HistoryToken(storeIdentifier: store, epoch: 1, sequence: 0, check: 0),
    HistoryToken(storeIdentifier: store, epoch: 1, sequence: 12, check: 0x0123_4567_89ab_cdef),
    HistoryToken(storeIdentifier: store, epoch: .max, sequence: .max, check: .max),
    HistoryToken(storeIdentifier: StoreIdentifier(), epoch: 0, sequence: 1 << 40, check: 1),
  ]

  @Test("its text reads back as itself", arguments: tokens)
  func roundTrip(token: HistoryToken) throws {
    let text = token.description
    #expect(try HistoryToken(text) == token)
    #expect(try HistoryToken(Substring(text)) == token)
    #expect(text.hasPrefix("hw1."))
    #expect(text.utf8.count <= 64)
    #expect(text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f })
  }

  @Test("its text is always the same")
  func text() {
    // Tokens are kept in files for years: another text would expire every one of them.
    #expect(
      Self.tokens[1].description
        == "hw1.AQIDBAUGBwgJCgsMDQ4PEAAAAAEAAAAAAAAADAEjRWeJq83vjsJ_AQ")
  }

  @Test("any one wrong character is noticed", arguments: tokens)
  func damage(token: HistoryToken) {
    let text = Array(token.description)
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=. +/")
    var accepted: [String] = []
    for place in text.indices {
      for character in alphabet where character != text[place] {
        var damaged = text
        damaged[place] = character
        if (try? HistoryToken(String(damaged))) != nil { accepted.append(String(damaged)) }
      }
    }
    #expect(accepted.isEmpty)
  }

  @Test("characters that are missing, added or exchanged are noticed", arguments: tokens)
  func otherDamage(token: HistoryToken) {
    let text = Array(token.description)
    var damaged: [[Character]] = []
    for place in text.indices {
      var shorter = text
      shorter.remove(at: place)
      damaged += [shorter, Array(text[..<place])]
      for character: Character in ["A", "_"] {
        var longer = text
        longer.insert(character, at: place)
        damaged.append(longer)
      }
      if place > 0, text[place] != text[place - 1] {
        var swapped = text
        swapped.swapAt(place, place - 1)
        damaged.append(swapped)
      }
    }
    for text in damaged {
      #expect(throws: HistoryError.self, "\(String(text))") { try HistoryToken(String(text)) }
    }
  }

  @Test(
    "what is not a token is refused",
    arguments: [
      "", " ", "hw1.", "hw1", "oldest", "now", "0", "hw2.AAAA", "HW1.AAAA", "hw1.\u{301}",
      "hw1." + String(repeating: "A", count: 54), "hw1." + String(repeating: "A", count: 100_000),
      "hw1.AQIDBAUGBwgJCgsMDQ4PEAAAAAEAAAAAAAAADAEjRWeJq83v6E40tA\n",
      " hw1.AQIDBAUGBwgJCgsMDQ4PEAAAAAEAAAAAAAAADAEjRWeJq83v6E40tA",
      "hw1.AQIDBAUGBwgJCgsMDQ4PEAAAAAEAAAAAAAAADAEjRWeJq83v6E40tA==",
    ])
  func refused(text: String) {
    let error = #expect(throws: HistoryError.self) { try HistoryToken(text) }
    #expect(error?.code == .invalidToken)
    #expect(error?.hint != nil)
    // Whatever was given is not repeated.
    #expect(text.utf8.count < 10 || error?.message.contains(text) == false)
  }

  @Test("within a store tokens are ordered by epoch, then by sequence")
  func order() {
    let token = { (epoch: UInt32, sequence: Int64) in
      HistoryToken(storeIdentifier: Self.store, epoch: epoch, sequence: sequence, check: 0)
    }
    #expect(token(1, 2) < token(1, 3))
    #expect(token(1, 9) < token(2, 1))
    #expect(!(token(2, 1) < token(1, 9)))
    #expect(!(token(1, 2) < token(1, 2)))
  }
}

@Suite("Store identifier")
struct StoreIdentifierTests {
  @Test("its text reads back as itself, in any letter case")
  func roundTrip() throws {
    let store = StoreIdentifier()
    #expect(StoreIdentifier(store.description) == store)
    #expect(StoreIdentifier(store.description.uppercased()) == store)
    #expect(StoreIdentifier(bytes: store.bytes) == store)
    #expect(
      HistoryTokenTests.store.description == "01020304-0506-0708-090a-0b0c0d0e0f10")
  }

  @Test("it is a random UUID of version 4")
  func version() {
    let identifiers = (0..<50).map { _ in StoreIdentifier() }
    #expect(Set(identifiers).count == 50)
    for text in identifiers.map({ Array($0.description) }) {
      #expect(text.count == 36)
      #expect(text[14] == "4")
      #expect("89ab".contains(text[19]))
    }
  }

  @Test(
    "other texts are none",
    arguments: [
      "", "-", "01020304-0506-0708-090a-0b0c0d0e0f1", "01020304-0506-0708-090a-0b0c0d0e0f100",
      "01020304-0506-0708-090a-0b0c0d0e0f1g", "0102030405060708090a0b0c0d0e0f10",
      "01020304-0506-0708-090a-0b0c0d0e0f1\u{661}",
    ])
  func refused(text: String) { #expect(StoreIdentifier(text) == nil) }

  @Test("other than sixteen bytes are none")
  func bytes() {
    #expect(StoreIdentifier(bytes: []) == nil)
    #expect(StoreIdentifier(bytes: 0...16) == nil)
  }
}
