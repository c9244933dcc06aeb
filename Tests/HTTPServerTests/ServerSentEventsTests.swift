import HTTPServer
import Testing

@Suite("Server-sent events")
struct ServerSentEventsTests {
  /// What a reader that keeps to the HTML standard makes of a stream.
  struct Reader: Equatable {
    struct Event: Equatable {
      var name = "message"
      var data: String
      var id = ""
    }

    var events: [Event] = []
    var lastID = ""
    var retry: Int?

    init(_ bytes: [UInt8]) {
      var data: [String] = []
      var name = ""
      // The standard's three line ends; whatever is after the last one is not seen.
      let text = String(decoding: bytes, as: UTF8.self).unicodeScalars
      var lines: [String] = []
      var line = String.UnicodeScalarView()
      var hasReturned = false
      for scalar in text {
        if scalar == "\n" && hasReturned {
          hasReturned = false
          continue
        }
        hasReturned = scalar == "\r"
        if scalar == "\n" || scalar == "\r" {
          lines.append(String(line))
          line = .init()
        } else {
          line.append(scalar)
        }
      }
      for line in lines {
        if line.isEmpty {
          if !data.isEmpty {
            events.append(
              Event(
                name: name.isEmpty ? "message" : name, data: data.joined(separator: "\n"),
                id: lastID))
          }
          (data, name) = ([], "")
          continue
        }
        let colon = line.unicodeScalars.firstIndex(of: ":") ?? line.unicodeScalars.endIndex
        let field = String(line.unicodeScalars[..<colon])
        var value = String(line.unicodeScalars[colon...].dropFirst())
        if value.unicodeScalars.first == " " { value.unicodeScalars.removeFirst() }
        switch field {
        case "data": data.append(value)
        case "event": name = value
        case "id": if !value.unicodeScalars.contains("\0") { lastID = value }
        case "retry": retry = Int(value)
        default: break
        }
      }
    }
  }

  @Test("an event has its fields in lines and an empty line after it")
  func fields() {
    var output: [UInt8] = []
    ServerSentEvents.append(
      data: #"{"kind":"commit"}"#.utf8, name: "commit", id: "t-1", to: &output)
    ServerSentEvents.append(comment: "still here", to: &output)
    ServerSentEvents.append(retryAfter: .milliseconds(1500), to: &output)
    ServerSentEvents.append(data: [], to: &output)
    #expect(
      String(decoding: output, as: UTF8.self) == """
        id: t-1
        event: commit
        data: {"kind":"commit"}

        : still here

        retry: 1500

        data: \n

        """)
  }

  @Test(
    "whatever the text has in it, it arrives as one event, with line feeds as line breaks",
    arguments: [
      "", "a", " a", "a\nb", "a\r\nb", "a\rb", "\n", "\r\n\r\n", "\r\r\n\n", "a\n\nid: x\n\n",
      "data: x\nevent: y", "\r\ndata: z\r\n\r\n", ": comment", "a\n", "\u{2028}\u{85}", "naïve 👩‍👩‍👧",
      "a\0b", "\n\r", "id: 5\r\rdata: 6",
    ])
  func framing(text: String) {
    var output: [UInt8] = []
    ServerSentEvents.append(data: text.utf8, name: "change", id: "7", to: &output)
    ServerSentEvents.append(comment: text, to: &output)
    ServerSentEvents.append(data: "next".utf8, to: &output)
    let reader = Reader(output)
    var normal: [UInt8] = []
    for byte in text.utf8 {
      if byte == 10, normal.last == 13 { normal.removeLast() }
      normal.append(byte)
    }
    let expected = String(decoding: normal.map { $0 == 13 ? 10 : $0 }, as: UTF8.self)
    #expect(
      reader.events == [
        Reader.Event(name: "change", data: expected, id: "7"),
        Reader.Event(data: "next", id: "7"),
      ])
  }

  @Test("an event that was cut off is not seen")
  func cut() {
    var output: [UInt8] = []
    ServerSentEvents.append(data: "one".utf8, id: "1", to: &output)
    let whole = output.count
    ServerSentEvents.append(data: "two".utf8, id: "2", to: &output)
    for length in whole..<output.count {
      #expect(Reader(Array(output[..<length])).events.map(\.data) == ["one"])
    }
    #expect(Reader(output).events.map(\.id) == ["1", "2"])
  }
}
