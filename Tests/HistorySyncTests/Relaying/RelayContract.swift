import HistoryModel
import HistoryStore
import HistorySync
import HistoryTestSupport
import Testing

/// What every carrier has to do, and what follows from it; one suite runs it for each.
struct RelayContract {
  let scene: any RelayScene

  private func message(_ sequence: Int64, of store: StoreIdentifier, base: UInt64?) -> RelayMessage
  {
    let from = HistoryToken(storeIdentifier: store, epoch: 1, sequence: sequence, check: 5)
    let to = HistoryToken(storeIdentifier: store, epoch: 1, sequence: sequence + 1, check: 5)
    return RelayMessage(
      .new, base: base, from: .at(RelayPosition(from)), to: .at(RelayPosition(to, lines: 2)),
      body: Array("line \(sequence)\n".utf8))
  }

  /// A message is stored after the one that was named, and after no other.
  nonisolated(nonsending) func compareAndAppend() async throws {
    let (a, b) = (StoreIdentifier(), StoreIdentifier())
    let carrier = try await scene.carrier(of: a)
    defer { carrier.close() }
    let other = try await scene.carrier(of: b)
    defer { other.close() }
    #expect(try await carrier.lastStored() == nil)
    #expect(try await carrier.oldest() == nil)
    #expect(carrier.bodyLimit > 1 << 10)
    #expect(try await refuses(carrier, message(0, of: a, base: nil), after: 1))
    let first = try await carrier.append(message(0, of: a, base: nil), expecting: 0)
    // Others may share what the sequence counts.
    let between = try await other.append(message(0, of: b, base: nil), expecting: 0)
    #expect(between > first)
    #expect(try await refuses(carrier, message(1, of: a, base: 0), after: 0))
    #expect(try await refuses(carrier, message(1, of: a, base: 0), after: between))
    let second = try await carrier.append(message(1, of: a, base: 0), expecting: first)
    #expect(second > between)
    #expect(try await refuses(carrier, message(1, of: a, base: 0), after: first))
    let last = try #require(try await carrier.lastStored())
    #expect(last.sequence == second && last.previous == first && last.base == 0)
    #expect(!last.isFirst)
    #expect(last.message.from == message(1, of: a, base: 0).from)
    #expect(last.message.to == message(1, of: a, base: 0).to)
    #expect(last.message.beginning == .new)
    let oldest = try #require(try await carrier.oldest())
    #expect(oldest.sequence == first && oldest.previous == 0 && oldest.isFirst)
  }

  /// Messages are read in order, from wherever one begins.
  nonisolated(nonsending) func reading() async throws {
    let (a, b) = (StoreIdentifier(), StoreIdentifier())
    let carrier = try await scene.carrier(of: a)
    let other = try await scene.carrier(of: b)
    var sequences: [UInt64] = []
    for number in 0..<20 {
      let message = message(Int64(number), of: a, base: number == 0 ? nil : 0)
      sequences.append(try await carrier.append(message, expecting: sequences.last ?? 0))
      if number == 10 {
        _ = try await other.append(self.message(0, of: b, base: nil), expecting: 0)
      }
    }
    carrier.close()
    other.close()
    let source = try await scene.source(of: a)
    defer { source.close() }
    #expect(try await source.lastStored()?.sequence == sequences.last)
    #expect(try await source.message(from: 1)?.sequence == sequences[0])
    #expect(try await source.message(from: sequences[10] + 1)?.sequence == sequences[11])
    #expect(try await source.message(from: sequences[19] + 1) == nil)
    for start in [0, 7] {
      try await source.begin(after: start == 0 ? 0 : sequences[start - 1])
      for number in start..<20 {
        var next: StoredMessage?
        while next == nil { next = try await source.next() }
        #expect(next?.sequence == sequences[number])
        #expect(next?.message.body == Array("line \(number)\n".utf8))
      }
    }
  }

  /// A store's history arrives whole, and again where the other has got to.
  nonisolated(nonsending) func relaying() async throws {
    let relayed = try RelayPair(scene)
    try relayed.write("INSERT INTO t VALUES(1, 'one'), (2, x'00ff'), (3, 0.5)")
    try await relayed.relay()
    try await relayed.follow()
    #expect(try relayed.rows(1) == relayed.rows(0))
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<3 {
      for _ in 0..<25 { try relayed.writeAnything(&generator) }
      try await relayed.relay()
      try await relayed.follow()
      #expect(try relayed.rows(1) == relayed.rows(0))
    }
    #expect(try relayed.pair.lines(1) == relayed.pair.lines(0))
    // There is nothing more, and nothing comes of it.
    let relay = try relayed.makeRelay()
    try await relayed.drive(relay)
    #expect(relay.messageCount == 0)
  }

  /// Whatever breaks between relaying and following, in the end each change is there once.
  nonisolated(nonsending) func crashing(rounds: Int, seed: UInt64) async throws {
    let relayed = try RelayPair(scene)
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<rounds {
      for _ in 0..<Int.random(in: 1...15, using: &generator) {
        try relayed.writeAnything(&generator)
      }
      // A relay that is killed in the middle, and one that has another beside it.
      var options = HistoryRelay.Options()
      options.messageSize = [1500, 2000, 1 << 18].randomElement(using: &generator) ?? 2000
      let (one, two) = (try relayed.makeRelay(options), try relayed.makeRelay())
      for _ in 0..<3 {
        try await relayed.drive(one, steps: Int.random(in: 1...12, using: &generator))
        try await relayed.drive(two, steps: Int.random(in: 1...12, using: &generator))
      }
      if Bool.random(using: &generator) { try scene.crash() }
      try await relayed.relay(options)
      if Bool.random(using: &generator) {
        do {
          try await relayed.follow()
        } catch let error as HistoryError where error.code == .temporary {
          // A crash may have left a part of a transaction, of which the rest comes again.
        }
      }
      if Int.random(in: 0..<4, using: &generator) == 0 { try scene.crash() }
    }
    scene.calm()
    try await relayed.relay()
    try await relayed.follow()
    #expect(try relayed.rows(1) == relayed.rows(0))
    #expect(try relayed.pair.lines(1) == relayed.pair.lines(0))
  }
}

/// Whether a message is not appended after another.
private nonisolated(nonsending) func refuses(
  _ carrier: any RelayCarrier, _ message: RelayMessage, after sequence: UInt64
) async throws -> Bool {
  do throws(RelayFailure) {
    _ = try await carrier.append(message, expecting: sequence)
    return false
  } catch {
    if case .refused = error { return true }
    throw error
  }
}
