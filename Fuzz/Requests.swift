import HistoryModel
import WatchServer

/// What libFuzzer calls with each input.
///
/// The input is what a client sends. Its first byte says how large the pieces are in which it
/// arrives, and whether a line may be long, so that lines that are too long are met often. What is
/// promised is checked: pieces make no difference, a refusal is one line of JSON, and what was read
/// reads the same once it is written again.
@_cdecl("LLVMFuzzerTestOneInput")
public func requestsTestOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  guard let choice = input.first else { return 0 }
  let sent = Array(input.dropFirst())
  let limit = choice & 0x80 == 0 ? WatchRequest.sizeLimit : 24
  let lines = lines(of: sent, in: Int(choice & 0x7f) + 1, limit: limit)
  precondition(lines == expected(sent, limit: limit), "Pieces make a difference.")
  for case .whole(let line) in lines { read(line[...]) }
  return 0
}

/// A line, kept after the splitter went on.
private enum Line: Equatable {
  case whole([UInt8])
  case tooLong
}

/// The lines as they come out of pieces.
private func lines(of bytes: [UInt8], in size: Int, limit: Int) -> [Line] {
  var splitter = LineSplitter(limit: limit)
  var lines: [Line] = []
  func take(_ line: LineSplitter.Line) {
    switch line {
    case .whole(let bytes): lines.append(.whole(Array(bytes)))
    case .tooLong: lines.append(.tooLong)
    }
  }
  var rest = bytes[...]
  while !rest.isEmpty {
    splitter.append(Array(rest.prefix(size)))
    rest = rest.dropFirst(size)
    while let line = splitter.next() { take(line) }
  }
  if let line = splitter.finish() { take(line) }
  return lines
}

/// The lines as they have to be.
private func expected(_ bytes: [UInt8], limit: Int) -> [Line] {
  var parts = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
  // What ends with a line feed has no line after it.
  if parts.last?.isEmpty == true { parts.removeLast() }
  return parts.map { $0.count <= limit ? .whole(Array($0)) : .tooLong }
}

/// Reads a line as the server does.
private func read(_ line: ArraySlice<UInt8>) {
  do throws(WatchRequest.Refusal) {
    let request = try WatchRequest(line: line)
    check(AnswerLine.answer("pong", to: request.envelope))
    if let name = request.envelope.subscription {
      let member = AnswerLine.member(name)
      check(Array(#"{"kind":"x""#.utf8) + member + Array("}\n".utf8))
    }
  } catch {
    check(AnswerLine.error(error.error, to: error.envelope))
  }
  guard let value = try? JSONValue(parsing: line, limits: .init(depth: 8, bytes: line.count)) else {
    return
  }
  var written: [UInt8] = []
  JSONText.append(value, to: &written)
  let again = try? JSONValue(parsing: written)
  precondition(again == value, "What was written reads as something else.")
}

/// An answer is one line, and that line is JSON.
private func check(_ answer: [UInt8]) {
  precondition(answer.firstIndex(of: UInt8(ascii: "\n")) == answer.count - 1, "Not one line.")
  precondition((try? JSONValue(parsing: answer.dropLast())) != nil, "Not JSON.")
}
