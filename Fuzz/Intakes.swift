import HistoryModel

@testable import HistorySync

/// What libFuzzer calls with each input.
///
/// The input is what `apply` reads. Its first byte says how large the pieces are in which it
/// arrives, the second what is held of the store that it tells of; an `@` stands for a position
/// together with the letter after it, since of those that chance makes none is whole. Checked is
/// that pieces make no difference to what is done or refused, and that what is to be applied goes
/// forward, in one store, and only after the stream has begun.
@_cdecl("LLVMFuzzerTestOneInput")
public func intakesTestOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  guard input.count > 2 else { return 0 }
  let sent = withPositions(input[2...])
  let whole = Intake(holding: input[1], of: sent, in: sent.count)
  let pieces = Intake(holding: input[1], of: sent, in: Int(input[0] & 0x7f) + 1)
  precondition(whole.outcomes == pieces.outcomes, "Pieces make a difference.")
  return 0
}

/// The bytes with positions in them: the letter's bits are the sequence, the epoch and the store.
private func withPositions(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
  var written: [UInt8] = []
  var rest = bytes
  while let byte = rest.popFirst() {
    guard byte == UInt8(ascii: "@"), let letter = rest.popFirst() else {
      written.append(byte)
      continue
    }
    let sequence = Int64(letter & 15)
    HistoryToken(
      storeIdentifier: store(1 + letter >> 5 & 1), epoch: UInt32(letter >> 4 & 1) + 1,
      sequence: sequence,
      check: UInt64(sequence)
    ).append(to: &written)
  }
  return written
}

/// One of a few stores.
private func store(_ byte: UInt8) -> StoreIdentifier {
  guard let store = StoreIdentifier(bytes: Array(repeating: byte, count: 16)[...]) else {
    preconditionFailure("Sixteen bytes are no store.")
  }
  return store
}

/// A stream that is taken in, line by line, until one is refused.
private struct Intake {
  /// What came of each line, and of the end.
  private(set) var outcomes: [Outcome] = []

  enum Outcome: Equatable {
    case done(StreamIntake.Action)
    case refused(String)
    case ended
  }

  private var intake = StreamIntake(for: store(7))
  private var decoder = LineDecoder(limit: 4096)
  private let choice: UInt8
  private var position: HistoryToken?
  private var isInSnapshot = false

  init(holding choice: UInt8, of bytes: [UInt8], in size: Int) {
    self.choice = choice
    var splitter = LineSplitter(limit: 4096)
    var rest = bytes[...]
    while !rest.isEmpty {
      splitter.append(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
      while let line = splitter.next() { guard take(line) else { return } }
    }
    if let line = splitter.finish() { guard take(line) else { return } }
    do {
      try intake.finish()
      outcomes.append(.ended)
    } catch {
      outcomes.append(.refused("\(error)"))
    }
  }

  /// Takes a line; says whether the next may come.
  private mutating func take(_ line: LineSplitter.Line) -> Bool {
    guard case .whole(let bytes) = line else { return false }
    do {
      let line = try decoder.decode(bytes)
      let action = try intake.take(line)
      if case .begin = action {
        guard case .hello(let hello) = line else { preconditionFailure("Begun without a hello.") }
        try intake.begin(holding: held(hello), mustBeginWithRows: choice & 0x80 != 0)
        position = hello.token
      }
      check(action)
      outcomes.append(.done(action))
      return true
    } catch {
      outcomes.append(.refused("\(error)"))
      return false
    }
  }

  /// What is held of a store.
  private func held(_ hello: StreamLine.Hello) -> HistoryToken? {
    let (token, head) = (hello.token, hello.head)
    switch choice & 7 {
    case 0: return nil
    case 1: return token
    case 2: return head
    default:
      return HistoryToken(
        storeIdentifier: token.storeIdentifier, epoch: UInt32(choice & 7),
        sequence: Int64(choice >> 3 & 15), check: token.check)
    }
  }

  /// Expects what is to be done to go on from what was done.
  private mutating func check(_ action: StreamIntake.Action) {
    switch action {
    case .apply(let transaction): move(to: transaction.token)
    case .advance(let token): move(to: token)
    case .beginSnapshot(let token):
      move(to: token)
      isInSnapshot = true
    case .row: precondition(isInSnapshot, "A row without a snapshot.")
    case .endSnapshot(let token):
      precondition(isInSnapshot && token == position, "A snapshot ends where it did not begin.")
      isInSnapshot = false
    default: break
    }
  }

  private mutating func move(to token: HistoryToken) {
    guard let position else { preconditionFailure("Something before hello is to be applied.") }
    precondition(!isInSnapshot, "A transaction among rows.")
    precondition(token.storeIdentifier == position.storeIdentifier, "Another store's.")
    precondition(token >= position, "It goes back.")
    self.position = token
  }
}
