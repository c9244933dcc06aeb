import HistoryModel
import HistoryObservation
import WatchClient

/// Decides what becomes of each line of a server on its way to the output: it goes on as it is, but
/// for the name of the subscription at its end.
///
/// It remembers what the output has got, so that after a break the output goes on as if there had
/// been none. Knows no socket.
struct StreamPassage {
  /// What a line means for the stream.
  enum Step: Equatable {
    /// Nothing more than that it went to the output, or nowhere.
    case goOn
    /// Something was shown.
    case shown
    /// The stream has ended, and its last line went to the output.
    case ended(StreamLine.Bye)
    /// The server ends the connection: come back later.
    case lost
    /// The server ends the connection because it was not read from.
    case tooSlow
    /// A position was kept in the store.
    case kept(HistoryToken)
    /// A position could not be kept.
    case keepFailed(HistoryError)
    /// It cannot go on.
    case failed(HistoryError)

    static func == (a: Step, b: Step) -> Bool {
      switch (a, b) {
      case (.goOn, .goOn), (.shown, .shown), (.lost, .lost), (.tooSlow, .tooSlow): true
      case (.ended(let x), .ended(let y)): x == y
      case (.kept(let x), .kept(let y)): x == y
      case (.keepFailed(let x), .keepFailed(let y)), (.failed(let x), .failed(let y)):
        x.code == y.code && x.message == y.message
      default: false
      }
    }
  }

  /// The name that the subscription has.
  static let subscription = "stream"
  /// What marks the answers to an acknowledgement.
  static let mark = "keep"
  /// Whether what came after a break was not what had come before it.
  private(set) var isConfused = false
  private static let suffix = Array(#","subscription":"stream"}"#.utf8)
  private static let prefix = Array(#"{"kind":""#.utf8)

  /// The position after everything that went to the output; nil before it is known.
  private(set) var position: HistoryToken?
  /// How many transactions went to the output.
  private(set) var transactions = 0
  /// Why the last position could not be used.
  private(set) var expiry: StreamLine.Expiry?
  /// Whether the output has got how the stream begins.
  private(set) var hasBegun = false
  private var decoder = LineDecoder()
  /// Whether the next hello is only the connection's, not the output's.
  private var isResuming = false
  /// Whether rows were announced that have not all come.
  private var isInSnapshot = false
  /// Whether the last line was a hello, and where the output stood before it: an expiry right behind
  /// says that nothing begins there.
  private var isGreeted = false
  private var positionBeforeHello: HistoryToken?
  /// What was asked for where a position cannot be used, which says what a reset is followed by.
  private let onExpired: StreamRequest.OnExpired
  /// How many changes of the transaction that has not ended went to the output, and the first.
  private var open: (count: Int, first: ArraySlice<UInt8>) = (0, [])
  /// How many of them have come again.
  private var repeated: Int?

  /// Begins before the first line.
  ///
  /// - Parameter onExpired: What the server was asked to do about a position that cannot be used.
  init(onExpired: StreamRequest.OnExpired = .fail) { self.onExpired = onExpired }

  /// Takes in a line.
  ///
  /// - Parameters:
  ///   - line: The line without its end.
  ///   - output: Where what goes to the output is appended.
  /// - Returns: What it means.
  /// - Throws: `LineError` when it is none that a server sends.
  mutating func take(
    _ line: ArraySlice<UInt8>, into output: inout [UInt8]
  ) throws(LineError) -> Step {
    guard line.starts(with: Self.prefix) else { return try answer(line) }
    let kind = line.dropFirst(Self.prefix.count).prefix { $0 != UInt8(ascii: "\"") }
    let isEvent = line.suffix(Self.suffix.count).elementsEqual(Self.suffix)
    if kind.elementsEqual("change".utf8), isEvent {
      return change(line, into: &output)
    }
    if kind.elementsEqual("row".utf8), isEvent {
      Self.pass(line, into: &output)
      return .shown
    }
    let isAnswer = ["error", "subscribed"].contains { kind.elementsEqual($0.utf8) }
    guard isEvent, !isAnswer else { return try answer(line) }
    return try event(line, into: &output)
  }

  /// The connection is lost; another one goes on from ``position``.
  ///
  /// - Returns: Whether it can.
  mutating func connectionLost() -> Bool {
    isResuming = hasBegun
    repeated = open.count > 0 ? 0 : nil
    expiry = nil
    return !isInSnapshot
  }

  private mutating func change(
    _ line: ArraySlice<UInt8>, into output: inout [UInt8]
  ) -> Step {
    isGreeted = false
    if let count = repeated {
      // What the output has got of this transaction must not come twice. Tagged transactions come
      // again to the letter; untagged ones may be grouped in another way.
      guard count > 0 || line == open.first else { return confused() }
      repeated = count + 1 < open.count ? count + 1 : nil
      return .goOn
    }
    if open.count == 0 { open.first = ArraySlice(Array(line)) }
    open.count += 1
    Self.pass(line, into: &output)
    return .goOn
  }

  private mutating func event(
    _ line: ArraySlice<UInt8>, into output: inout [UInt8]
  ) throws(LineError) -> Step {
    let event = try decoder.decode(line)
    if case .hello = event, isResuming {
      isResuming = false
      return .goOn
    }
    var step = Step.goOn
    defer { if case .hello = event { isGreeted = true } else { isGreeted = false } }
    switch event {
    case .hello(let hello):
      hasBegun = true
      positionBeforeHello = position
      // A position says that all before it is in the output, which rows on their way are not. They
      // and their hello may come in two reads, so it cannot wait for what follows.
      isInSnapshot =
        hello.resume == .snapshot || hello.resume == .reset && onExpired == .snapshot
      if !isInSnapshot { position = hello.token }
      open = (0, [])
      repeated = nil
    case .commit(_, _, let token):
      guard repeated == nil else { return confused() }
      open = (0, [])
      show(token)
      step = .shown
    case .transaction(let transaction):
      show(transaction.token)
      step = .shown
    case .bookmark(let token): position = token
    case .notice(_, let token):
      if let token { position = token }
      step = .shown
    case .snapshotBegin: isInSnapshot = true
    case .snapshotEnd(let token):
      isInSnapshot = false
      position = token
    case .expired(let expiry):
      self.expiry = expiry
      if isGreeted { position = positionBeforeHello }
    case .bye(let bye):
      if bye.reason == .signal { return .lost }
      if bye.reason == .slow { return .tooSlow }
      step = .ended(bye)
    case .change, .row, .unknown: break
    }
    Self.pass(line, into: &output)
    return step
  }

  private mutating func confused() -> Step {
    isConfused = true
    return .failed(.regrouped)
  }

  private mutating func show(_ token: HistoryToken) {
    position = token
    transactions += 1
  }

  /// Reads a line that does not go to the output.
  private mutating func answer(_ line: ArraySlice<UInt8>) throws(LineError) -> Step {
    let read = try ServerLine(line)
    switch read {
    case .greeting(let version):
      return version == 1 ? .goOn : .failed(.unknownProtocol("the socket", version))
    case .failure(let error, let request):
      return request == .string(Self.mark) ? .keepFailed(error) : .failed(error)
    case .farewell(let reason): return reason == "slow" ? .tooSlow : .lost
    case .answer(let answer):
      guard answer["kind"]?.string == "acknowledged", let text = answer["token"]?.string,
        let token = try? HistoryToken(text)
      else { return .goOn }
      return .kept(token)
    case .subscribed, .event: return .goOn
    }
  }

  private static func pass(_ line: ArraySlice<UInt8>, into output: inout [UInt8]) {
    output.append(contentsOf: line.dropLast(suffix.count))
    output.append(UInt8(ascii: "}"))
    output.append(UInt8(ascii: "\n"))
  }
}

extension HistoryError {
  /// After a break the lines that came again were not those that had come before it.
  fileprivate static let regrouped = HistoryError(
    .temporary, "the server went away in the middle of changes that it now groups in another way",
    hint: "drop the changes after the last commit line, and go on from its token")
}
