import HistoryModel
import HistoryObservation
import Testing

@testable import WatchServer

/// What is kept of lines that come along.
@Suite("The last lines")
struct LastLinesTests {
  private let store = StoreIdentifier()

  private func token(_ sequence: Int64) -> HistoryToken {
    HistoryToken(storeIdentifier: store, epoch: 1, sequence: sequence, check: 0)
  }

  /// What is kept of lines of one letter and a line feed, after which one can go on at 1, 2, 3 and so on.
  private func kept(_ letters: String, count: Int, size: Int, except: Int64? = nil) -> String {
    var last = LastLines(count: count, size: size)
    for (place, letter) in letters.enumerated() {
      last.add(
        EncodedLines(Array("\(letter)\n".utf8), resumableAt: token(Int64(place + 1))),
        except: except.map(token))
    }
    return String(decoding: last.lines.joined(), as: UTF8.self).filter { $0 != "\n" }
  }

  @Test(
    "as many as are wanted are kept, in their order",
    arguments: [(1, "e"), (3, "cde"), (9, "abcde")])
  func count(count: Int, expected: String) {
    #expect(kept("abcde", count: count, size: 100) == expected)
  }

  @Test(
    "no more bytes are kept than are allowed, but one line always",
    arguments: [(0, "e"), (5, "de"), (6, "cde")])
  func size(size: Int, expected: String) {
    #expect(kept("abcde", count: 9, size: size) == expected)
  }

  @Test("the line at a position that is not wanted is left out")
  func except() { #expect(kept("abc", count: 9, size: 100, except: 3) == "ab") }

  @Test("lines after which nobody can go on, such as those about drift, are left out")
  func drift() {
    var last = LastLines(count: 9, size: 100)
    last.add(EncodedLines(Array("a\nb\n".utf8)), except: nil)
    #expect(last.lines.isEmpty)
  }
}
