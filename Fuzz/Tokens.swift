import HistoryModel

/// What libFuzzer calls with each input.
///
/// The input is a text that somebody gives as a position, and the parts of a position at the same
/// time. Checked is that a text that is taken is the only one of its position, that one damaged
/// byte is always noticed, and that every position reads as it was written.
@_cdecl("LLVMFuzzerTestOneInput")
public func tokensTestOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  let text = String(decoding: input, as: UTF8.self)
  if let token = token(text) { check(token, is: text, damage: input) }
  guard let token = made(of: input) else { return 0 }
  check(token, is: "\(token)", damage: input)
  return 0
}

/// The position that a text is; a refusal has the code of what is no token.
private func token(_ text: String) -> HistoryToken? {
  do throws(HistoryError) {
    return try HistoryToken(text)
  } catch {
    precondition(error.code == .invalidToken, "A refusal of another kind.")
    return nil
  }
}

/// A position with its parts taken out of bytes.
private func made(of bytes: [UInt8]) -> HistoryToken? {
  guard bytes.count >= 36, let store = StoreIdentifier(bytes: bytes[0..<16]) else { return nil }
  let word = { (place: Int) in bytes[place..<place + 8].reduce(0) { $0 << 8 | UInt64($1) } }
  return HistoryToken(
    storeIdentifier: store, epoch: UInt32(truncatingIfNeeded: word(28)),
    sequence: Int64(word(16) >> 1), check: word(20))
}

/// Expects a position to have this text, and no other one that is as good as it.
private func check(_ token: HistoryToken, is text: String, damage: [UInt8]) {
  precondition("\(token)" == text, "A token has two texts.")
  precondition(text.utf8.count <= 64, "A token is too long.")
  let again = try? HistoryToken(text)
  precondition(again == token, "A token reads as something else.")
  var bytes = Array(text.utf8)
  let place = Int(damage.last ?? 0) % bytes.count
  bytes[place] ^= max(1, (damage.first ?? 1) & 0x7f)
  let damaged = try? HistoryToken(String(decoding: bytes, as: UTF8.self))
  precondition(damaged == nil, "Damage is not noticed.")
}
