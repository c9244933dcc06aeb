/// A position in one store's history, always between two transactions.
///
/// A token carries the store, the epoch, the position and a check that ties the position to what
/// was committed there, so that a token of another store, of a restored one or a damaged text is
/// told apart from one that is merely old. Its text is opaque: equal tokens are equal positions,
/// and nothing else may be read from it.
///
/// It plays the part of SwiftData's `HistoryToken`.
public struct HistoryToken: Hashable, Sendable {
  /// The store that issued it.
  public let storeIdentifier: StoreIdentifier
  /// The store's epoch when it was issued.
  public let epoch: UInt32
  /// The sequence of the last row of history before the position; 0 before the first.
  public let sequence: Int64
  /// A digest of what stands at ``sequence``.
  public let check: UInt64

  /// Makes a token of its parts.
  ///
  /// - Parameters:
  ///   - storeIdentifier: The store.
  ///   - epoch: The store's epoch.
  ///   - sequence: The last row before the position.
  ///   - check: The digest of that row.
  public init(storeIdentifier: StoreIdentifier, epoch: UInt32, sequence: Int64, check: UInt64) {
    self.storeIdentifier = storeIdentifier
    self.epoch = epoch
    self.sequence = sequence
    self.check = check
  }

  private static let prefix = "hw1."

  /// Reads a token's text.
  ///
  /// - Parameter text: What a stream, `write` or ``description`` gave.
  /// - Throws: ``HistoryError`` with code `invalidToken` when it is not a token or was damaged.
  public init(_ text: some StringProtocol) throws(HistoryError) {
    guard text.hasPrefix(Self.prefix), text.utf8.count <= 64,
      let bytes = Base64.decode(text.utf8.dropFirst(Self.prefix.utf8.count)), bytes.count == 40,
      let store = StoreIdentifier(bytes: bytes[0..<16])
    else { throw .invalidToken }
    let epoch = UInt32(truncatingIfNeeded: Self.word(bytes[16..<20]))
    let sequence = Int64(bitPattern: Self.word(bytes[20..<28]))
    let check = Self.word(bytes[28..<36])
    guard Self.seal(bytes[0..<36]) == Self.word(bytes[36..<40]), sequence >= 0 else {
      throw .invalidToken
    }
    self.init(storeIdentifier: store, epoch: epoch, sequence: sequence, check: check)
  }

  /// Reads a token's text where no word such as `oldest` can stand for a position.
  ///
  /// - Parameter text: What a stream, `write` or ``description`` gave.
  /// - Throws: ``HistoryError`` with code `invalidToken`, whose hint names no such word.
  package init(printed text: some StringProtocol) throws(HistoryError) {
    do throws(HistoryError) {
      try self.init(text)
    } catch {
      throw error.hinting("give a token that a stream or write printed")
    }
  }

  /// Appends the text to bytes.
  ///
  /// - Parameter output: Where to write it.
  public func append(to output: inout [UInt8]) {
    var bytes = storeIdentifier.bytes
    bytes.reserveCapacity(40)
    Self.append(UInt64(epoch), count: 4, to: &bytes)
    Self.append(UInt64(bitPattern: sequence), count: 8, to: &bytes)
    Self.append(check, count: 8, to: &bytes)
    Self.append(Self.seal(bytes[0..<36]), count: 4, to: &bytes)
    output.append(contentsOf: Self.prefix.utf8)
    Base64.append(bytes, .url, to: &output)
  }

  private static func seal(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    var fingerprint = Fingerprint()
    fingerprint.combine(bytes)
    return fingerprint.value & 0xffff_ffff
  }

  private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func append(_ word: UInt64, count: Int, to bytes: inout [UInt8]) {
    for place in (0..<count).reversed() {
      bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(8 * place)))
    }
  }
}

extension HistoryToken: CustomStringConvertible {
  /// The text, at most 64 characters, starting with `hw1.`.
  public var description: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension HistoryToken: Comparable {
  /// Whether a position comes before another of the same store.
  ///
  /// Tokens of different stores have no meaningful order.
  public static func < (a: HistoryToken, b: HistoryToken) -> Bool {
    (a.epoch, a.sequence) < (b.epoch, b.sequence)
  }
}

extension HistoryToken: Codable {
  /// Reads the text form.
  public init(from decoder: any Decoder) throws {
    try self.init(decoder.singleValueContainer().decode(String.self))
  }

  /// Writes the text form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension HistoryError {
  fileprivate static var invalidToken: HistoryError {
    HistoryError(
      .invalidToken, "the position is not a token, or was damaged",
      hint: "give a token that a stream or write printed, or oldest, or now")
  }
}
