import EventLoop
import HistoryModel

/// The examples of docs/protocol.md: what a client sends, and what it gets.
struct ProtocolPage {
  /// A line of an example.
  enum Step {
    /// The client sends this, as it stands there.
    case request(String)
    /// The server sends something like this.
    case answer(AnswerPattern)
  }

  /// The lines of all examples, in the order of the page.
  let steps: [Step]

  /// Reads the page.
  ///
  /// - Throws: ``Unreadable``, and what reading the file throws.
  init() throws {
    let path = #filePath.split(separator: "/").dropLast(4).reduce("") { "\($0)/\($1)" }
    let bytes = try DurableFile(path: path + "/docs/protocol.md").read(limit: 1 << 20)
    var steps: [Step] = []
    var isExample = false
    for line in String(decoding: bytes ?? [], as: UTF8.self).split(separator: "\n") {
      if line.hasPrefix("```") {
        isExample = line == "```json"
      } else if isExample, line.hasPrefix("→ ") {
        steps.append(.request(String(line.dropFirst(2))))
      } else if isExample, line.hasPrefix("← ") {
        steps.append(.answer(try AnswerPattern(line.dropFirst(2))))
      } else if isExample {
        throw Unreadable(line: String(line))
      }
    }
    self.steps = steps
  }

  /// A line of an example says neither who sends it nor what a machine could read.
  struct Unreadable: Error {
    let line: String
  }
}

/// What an answer looks like: its kind, the names of its members and their order.
///
/// `…` between two members means that more may come there, and `…` in a text any text.
struct AnswerPattern: CustomStringConvertible {
  let description: String
  private let value: JSONValue

  /// Members whose values the page means as they stand.
  private static let exact: Set<String> = [
    "kind", "subscription", "request", "code", "message", "hint", "consumer", "timeline", "reason",
    "protocol", "format", "capabilities",
  ]

  init(_ line: some StringProtocol) throws {
    description = String(line)
    do throws(JSONError) {
      value = try JSONValue(parsing: Array(Self.withNamedGaps(line).utf8))
    } catch {
      throw ProtocolPage.Unreadable(line: description)
    }
  }

  var kind: String? { value["kind"]?.string }
  var subscription: String? { value["subscription"]?.string }
  var reason: String? { value["reason"]?.string }

  /// The line as JSON: a gap is a member with a name that nothing else has.
  private static func withNamedGaps(_ line: some StringProtocol) -> String {
    var json = ""
    var isText = false
    var gaps = 0
    for character in line {
      if character == "\"" { isText.toggle() }
      if character == "…", !isText {
        gaps += 1
        json += "\"…\(gaps)\":null"
      } else {
        json.append(character)
      }
    }
    return json
  }

  /// Whether a line is as this says.
  func matches(_ line: JSONValue) -> Bool { Self.isLike(line, value, name: nil) }

  private static func isLike(_ line: JSONValue, _ pattern: JSONValue, name: String?) -> Bool {
    if let name, exact.contains(name) { return line == pattern }
    switch pattern {
    case .object(let members):
      guard let object = line.object else { return false }
      return isLike(object[...], members[...])
    case .array(let patterns):
      guard let elements = line.array else { return false }
      return zip(elements, patterns).allSatisfy { isLike($0, $1, name: nil) }
    case .null: return line.isNull || line.string != nil
    default: return line.kind == pattern.kind
    }
  }

  private static func isLike(
    _ members: Slice<JSONObject>, _ patterns: Slice<JSONObject>
  ) -> Bool {
    guard let pattern = patterns.first else { return members.isEmpty }
    if pattern.name.hasPrefix("…") {
      return members.indices.contains { isLike(members[$0...], patterns.dropFirst()) }
        || isLike(members[members.endIndex...], patterns.dropFirst())
    }
    guard let member = members.first, member.name == pattern.name else { return false }
    return isLike(member.value, pattern.value, name: pattern.name)
      && isLike(members.dropFirst(), patterns.dropFirst())
  }
}
