import HistoryModel

/// What libFuzzer calls with each input.
///
/// The input is what a client reads from a server, or a program from a stream: lines. Checked is that
/// what a decoder remembers of earlier lines makes no difference, and that tokens and times print as
/// they were read.
@_cdecl("LLVMFuzzerTestOneInput")
public func linesTestOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  var decoder = LineDecoder()
  for line in input.split(separator: UInt8(ascii: "\n")) {
    let known = outcome { () throws(LineError) in try decoder.decode(line) }
    var fresh = LineDecoder()
    let alone = outcome { () throws(LineError) in try fresh.decode(line) }
    precondition(known == alone, "What was read before makes a difference.")
    check(String(decoding: line, as: UTF8.self))
  }
  return 0
}

/// What decoding a line gives; nil for an error.
private func outcome(_ body: () throws(LineError) -> StreamLine) -> StreamLine? { try? body() }

/// Reads a text as what stands in lines.
private func check(_ text: String) {
  if let token = try? HistoryToken(text) {
    precondition("\(token)" == text, "A token has two texts.")
  }
  if let time = CalendarTime(text) {
    var written: [UInt8] = []
    time.append(to: &written)
    precondition(written == Array(text.utf8), "A time has two texts.")
  }
}
