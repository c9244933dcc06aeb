import HistoryModel
import Testing

@Suite("Line splitter")
struct LineSplitterTests {
  @Test("lines come out as they went in, however they were cut", arguments: 0..<50)
  func anyPieces(seed: UInt64) {
    var random = Seeded(seed)
    let limit = 10
    let lines = (0..<40).map { _ in
      let letters = Int.random(in: 0...(Bool.random(using: &random) ? limit : 40), using: &random)
      return (0..<letters).map { _ in UInt8.random(in: 97...122, using: &random) }
    }
    let endsOpen = Bool.random(using: &random)
    let all = Array(lines.joined(separator: [10])) + (endsOpen ? [] : [10])
    var splitter = LineSplitter(limit: limit)
    var found: [LineSplitter.Line] = []
    var rest = all[...]
    while !rest.isEmpty {
      let count = Int.random(in: 0...(seed % 2 == 0 ? 3 : 60), using: &random)
      splitter.append(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
      while let line = splitter.next() { found.append(line) }
    }
    while let line = splitter.finish() { found.append(line) }
    var expected = lines.map { line in
      line.count <= limit ? LineSplitter.Line.whole(line[...]) : .tooLong
    }
    // A last line that is empty and does not end is no line.
    if endsOpen, lines.last == [] { expected.removeLast() }
    #expect(found == expected)
  }

  @Test("a line that is too long is told before its end, once, and the next one is whole")
  func tooLong() {
    var splitter = LineSplitter(limit: 4)
    splitter.append(Array("abcd".utf8))
    #expect(splitter.next() == nil)
    splitter.append(Array("e".utf8))
    #expect(splitter.next() == .tooLong)
    #expect(splitter.next() == nil)
    for _ in 0..<100 {
      splitter.append([UInt8](repeating: 97, count: 1000))
      #expect(splitter.next() == nil)
    }
    splitter.append(Array("\nabcd\nx".utf8))
    #expect(splitter.next() == .whole(Array("abcd".utf8)[...]))
    #expect(splitter.next() == nil)
    #expect(splitter.finish() == .whole(Array("x".utf8)[...]))
    #expect(splitter.finish() == nil)
  }

  @Test("a line that is too long and never ends leaves nothing behind")
  func endless() {
    var splitter = LineSplitter(limit: 4)
    splitter.append(Array("abcdefgh".utf8))
    #expect(splitter.finish() == .tooLong)
    #expect(splitter.finish() == nil)
    splitter.append(Array("i".utf8))
    #expect(splitter.finish() == nil)
  }
}
