import Testing

@testable import EventLoop

@Suite("Output queue")
struct OutputQueueTests {
  @Test("a message is taken whole or not at all, and never more than the limit waits")
  func limit() {
    var queue = OutputQueue(limit: 10)
    #expect(queue.offered([1, 2, 3, 4, 5, 6]) == true)
    #expect(queue.offered([1, 2, 3, 4, 5]) == false)
    #expect(queue.count == 6)
    #expect(queue.offered([7, 8, 9, 10]) == true)
    #expect(queue.offered([0]) == false)
    queue.sent(1)
    #expect(queue.offered([0]) == true)
    #expect(queue.count == 10)
    #expect(queue.offered([]) == true)
    #expect(queue.count == 10)
  }

  @Test("a message bigger than the limit is taken while nothing else waits, and not otherwise")
  func oversized() {
    var queue = OutputQueue(limit: 4)
    #expect(queue.offered([1]) == true)
    #expect(queue.offered([2, 3, 4, 5, 6]) == false)
    queue.sent(1)
    #expect(queue.offered([2, 3, 4, 5, 6]) == true)
    #expect(queue.offered([7]) == false)
    #expect(queue.next == [2, 3, 4, 5, 6])
  }

  @Test("what goes out is what came in, in order, however it is cut", arguments: 0..<20)
  func order(seed: Int) {
    var random = SystemRandomNumberGenerator()
    var queue = OutputQueue(limit: 100_000)
    var (given, gone): ([UInt8], [UInt8]) = ([], [])
    for round in 0..<900 {
      let isBusy = round % 300 < 200
      if Bool.random(using: &random) || isBusy {
        let count = Int.random(in: 0...(seed % 2 == 0 ? 30 : 20_000), using: &random)
        let message = [UInt8](repeating: UInt8(truncatingIfNeeded: round), count: count)
        if queue.offered(message[...]) { given += message }
      }
      if !isBusy || Int.random(in: 0..<10, using: &random) == 0, let next = queue.next {
        let taken = Int.random(in: 0...next.count, using: &random)
        gone += next.prefix(taken)
        queue.sent(taken)
      }
      #expect(queue.count == given.count - gone.count)
    }
    while let next = queue.next {
      gone += next
      queue.sent(next.count)
    }
    #expect(gone == given)
    #expect(queue.count == 0)
  }

  @Test("small messages behind each other go out together")
  func joined() {
    var queue = OutputQueue(limit: 1000)
    for byte: UInt8 in 1...9 { #expect(queue.offered([byte]) == true) }
    #expect(queue.next == [1])
    queue.sent(1)
    #expect(queue.next == [2, 3, 4, 5, 6, 7, 8, 9])
  }

  @Test(
    "dropping lines keeps the rest of one that was begun, and nothing else",
    arguments: [
      // How many bytes have gone out, and what is left of "ab\n", "cd\nef\n", "gh\n".
      (0, ""), (1, "b\n"), (2, "\n"), (3, ""), (4, "d\n"), (6, ""), (7, "f\n"), (11, "\n"),
      (12, ""),
    ])
  func keepsLine(gone: Int, rest: String) {
    var queue = OutputQueue(limit: 20)
    for message in ["ab\n", "cd\nef\n", "gh\n"] {
      #expect(queue.offered(ArraySlice(message.utf8)) == true)
    }
    for _ in 0..<gone { queue.sent(1) }
    queue.keepLine()
    #expect(queue.count == rest.utf8.count)
    #expect((queue.next.map { String(decoding: $0, as: UTF8.self) } ?? "") == rest)
    #expect(queue.offered(ArraySlice("bye\n".utf8)) == true)
  }

  @Test("dropping everything makes room")
  func dropping() {
    var queue = OutputQueue(limit: 2)
    #expect(queue.offered([1, 2]) == true)
    queue.removeAll()
    #expect(queue.next == nil && queue.count == 0)
    #expect(queue.offered([3, 4]) == true)
  }
}
