import HistoryTestSupport
import HistoryModel
import Testing
import WatchServer

@Suite("Any configuration file")
struct ConfigurationPropertyTests {
  private static func parsed(_ text: [UInt8]) throws -> ServerConfiguration {
    try ServerConfiguration(parsing: text, path: "etc/serve.json", given: ["first.db"])
  }

  /// Texts with everything that may stand in a name.
  private static func words(_ random: inout SeededGenerator, _ count: Int) -> String {
    let pool = ["a", "Ä", "\u{301}", " ", "\\\"", "\\n", "🦉", "\\u0041", "x", "Tasks", "'", "/"]
    let words = (0..<count).map { "\"\($0)\(pool.randomElement(using: &random) ?? "")\"" }
    return "[\(words.joined(separator: ", "))]"
  }

  /// A file that is accepted.
  private static func file(_ random: inout SeededGenerator) -> String {
    var members: [String] = []
    let databases = Int.random(in: 0...3, using: &random)
    if databases > 0 {
      let list = (0..<databases).map { "\"d\($0).db\"" }.joined(separator: ",")
      members.append("\"databases\": [\(list)]")
    }
    if Bool.random(using: &random) {
      members.append("\"keep\": \"\(Int.random(in: 1...9000, using: &random))h\"")
    }
    if Bool.random(using: &random) {
      members.append("\"keepSize\": \"\(Int.random(in: 64...99999, using: &random))kb\"")
    }
    let kinds = (0..<Int.random(in: 0...4, using: &random)).map { kind($0, databases, &random) }
    if Bool.random(using: &random) || !kinds.isEmpty {
      members.append("\"reloads\": [\(kinds.joined(separator: ",\n"))]")
    }
    members.shuffle(using: &random)
    return "{\(members.joined(separator: ",\n "))}"
  }

  private static func kind(_ place: Int, _ databases: Int, _ random: inout SeededGenerator)
    -> String
  {
    var members = ["\"timeline\": \"W\(place)\""]
    if databases > 0 {
      let database = Int.random(in: 0..<databases, using: &random)
      members.append("\"database\": \"./d\(database).db\"")
    }
    let optional: [(String, (inout SeededGenerator) -> String)] = [
      ("tables", { words(&$0, 3) }), ("columns", { words(&$0, 2) }),
      ("authors", { words(&$0, 2) }), ("notAuthors", { _ in "[\"\", \"widget\"]" }),
      ("ignoreAuthor", { _ in "\"widget\"" }),
      ("operations", { _ in "[\"update\", \"insert\"]" }),
      ("debounce", { "\"\(Int.random(in: 0...5000, using: &$0))ms\"" }),
      ("maxWait", { "\"\(Int.random(in: 0...600, using: &$0))s\"" }),
      ("minInterval", { "\"\(Int.random(in: 0...99, using: &$0))h\"" }),
      ("budget", { "\"\(Int.random(in: 1...99, using: &$0))/day\"" }),
      ("onBusy", { Bool.random(using: &$0) ? "\"queue\"" : "\"restart\"" }),
      ("command", { words(&$0, 4) }), ("subscribers", { _ in "true" }),
    ]
    for (name, value) in optional where Bool.random(using: &random) {
      members.append("\"\(name)\": \(value(&random))")
    }
    return "{\(members.shuffled(using: &random).joined(separator: ", "))}"
  }

  @Test("what is accepted is written so that it reads as the same", arguments: 0..<20)
  func roundTrip(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<25 {
      let text = Self.file(&random)
      let configuration = try Self.parsed(Array(text.utf8))
      let rendered = configuration.rendered()
      let again = try Self.parsed(rendered)
      #expect(again == configuration, "\(text)")
      #expect(again.rendered() == rendered)
    }
  }

  @Test("bytes at random are refused with a place, or read as what they are", arguments: 0..<20)
  func mutations(seed: UInt64) {
    var random = SeededGenerator(seed: seed &+ 1000)
    let pool = Array("{}[]\":,\\ \n0179dsmhKMGB/ay-.eEtfnu\u{0}é".utf8) + [0xff, 0xc3, 0xed, 0xa0]
    var refused = 0
    for _ in 0..<300 {
      var bytes = Array(Self.file(&random).utf8)
      for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes[place] = pool.randomElement(using: &random) ?? 0
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(pool.randomElement(using: &random) ?? 0, at: place)
        case 3: bytes.removeSubrange(place..<min(bytes.count, place + 20))
        default: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 30)], at: place)
        }
      }
      do {
        let configuration = try Self.parsed(bytes)
        let again = try? Self.parsed(configuration.rendered())
        #expect(again == configuration)
      } catch {
        refused += 1
        let message = (error as? HistoryError)?.message ?? ""
        #expect(message.hasPrefix("etc/serve.json:"), "\(error)")
        #expect(message.dropFirst("etc/serve.json:".count).first?.isWholeNumber == true)
      }
    }
    // Most of what was done to them makes them useless, or this would test nothing.
    #expect(refused > 100)
  }
}
