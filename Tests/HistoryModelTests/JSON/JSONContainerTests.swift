import HistoryModel
import Testing

@Suite("Containers of JSON")
struct JSONContainerTests {
  private enum Keys: String, CodingKey { case list, object, next, `super` }

  private class Base: Codable {
    var name: String
    init(name: String) { self.name = name }
  }

  private final class Derived: Base {
    var size: Int
    let hasOwnKey: Bool
    init(name: String, size: Int, hasOwnKey: Bool) {
      self.size = size
      self.hasOwnKey = hasOwnKey
      super.init(name: name)
    }
    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: DerivedKeys.self)
      size = try container.decode(Int.self, forKey: .size)
      hasOwnKey = container.contains(.base)
      try super.init(
        from: hasOwnKey ? container.superDecoder(forKey: .base) : container.superDecoder())
    }
    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: DerivedKeys.self)
      try container.encode(size, forKey: .size)
      try super.encode(
        to: hasOwnKey ? container.superEncoder(forKey: .base) : container.superEncoder())
    }
    enum DerivedKeys: CodingKey { case size, base }
  }

  /// Nests every container in every other.
  private struct Nested: Codable, Equatable {
    var numbers: [Int]
    init(_ numbers: [Int]) { self.numbers = numbers }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Keys.self)
      var list = try container.nestedUnkeyedContainer(forKey: .list)
      var inner = try list.nestedUnkeyedContainer()
      var numbers: [Int] = []
      while !inner.isAtEnd { numbers.append(try inner.decode(Int.self)) }
      let object = try list.nestedContainer(keyedBy: Keys.self)
      #expect(try object.decode(String.self, forKey: .next) == "x")
      #expect(try list.superDecoder().singleValueContainer().decode(Bool.self))
      #expect(list.isAtEnd)
      #expect(list.currentIndex == 3)
      let other = try container.nestedContainer(keyedBy: Keys.self, forKey: .object)
      #expect(other.allKeys.map(\.stringValue) == ["list"])
      #expect(try other.decode([Int].self, forKey: .list) == numbers)
      self.numbers = numbers
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      var list = container.nestedUnkeyedContainer(forKey: .list)
      var inner = list.nestedUnkeyedContainer()
      for number in numbers { try inner.encode(number) }
      var object = list.nestedContainer(keyedBy: Keys.self)
      try object.encode("x", forKey: .next)
      var single = list.superEncoder().singleValueContainer()
      try single.encode(true)
      #expect(list.count == 3)
      var other = container.nestedContainer(keyedBy: Keys.self, forKey: .object)
      try other.encode([0], forKey: .list)
      // The second takes the place of the first.
      try other.encode(numbers, forKey: .list)
    }
  }

  private static func text(_ value: some Encodable) throws -> String {
    var bytes: [UInt8] = []
    JSONText.append(try JSONValue(encoding: value), to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("containers nest in each other, and a member that is encoded twice is there once")
  func nested() throws {
    let text = try Self.text(Nested([1, 2]))
    #expect(text == #"{"list":[[1,2],{"next":"x"},true],"object":{"list":[1,2]}}"#)
    #expect(try JSONValue(parsing: text.utf8).decode(Nested.self) == Nested([1, 2]))
  }

  @Test("a superclass has a member of its own", arguments: [false, true])
  func superclass(hasOwnKey: Bool) throws {
    let text = try Self.text(Derived(name: "a", size: 2, hasOwnKey: hasOwnKey))
    #expect(text == #"{"size":2,"\#(hasOwnKey ? "base" : "super")":{"name":"a"}}"#)
    let read = try JSONValue(parsing: text.utf8).decode(Derived.self)
    #expect((read.name, read.size, read.hasOwnKey) == ("a", 2, hasOwnKey))
  }

  @Test("an object of many members is read by an index, names told apart by their bytes")
  func many() throws {
    var numbers: [String: Int] = [:]
    for number in 0..<1000 { numbers["name \(number)"] = number }
    let value = try JSONValue(encoding: numbers)
    #expect(value.object?.count == 1000)
    #expect(try value.decode([String: Int].self) == numbers)
    struct Two: Decodable { var a1: Int }
    #expect(throws: DecodingError.self) { try value.decode(Two.self) }
  }

  @Test("an error names the path, and not what stands there")
  func path() throws {
    let value = try JSONValue(parsing: #"{"list":[{"next":"secret"}]}"#.utf8)
    let error = #expect(throws: DecodingError.self) {
      try value.decode([String: [[String: Int]]].self)
    }
    guard case .typeMismatch(_, let context) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(context.codingPath.map(\.stringValue) == ["list", "0", "next"])
    #expect(context.codingPath[1].intValue == 0)
    #expect(context.debugDescription == "Int needs an integer that it can hold, not a string.")
  }

  @Test("a list that ends too early says so, and an element that does not fit can be read again")
  func ends() throws {
    struct Pair: Decodable {
      var first: String
      init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        #expect(throws: DecodingError.self) { try container.decode(Int.self) }
        #expect(try !container.decodeNil())
        first = try container.decode(String.self)
        #expect(try container.decodeNil())
        #expect(throws: DecodingError.self) { try container.decodeNil() }
        _ = try container.decode(Int.self)
      }
    }
    let error = #expect(throws: DecodingError.self) {
      try JSONValue(parsing: #"["a",null]"#.utf8).decode(Pair.self)
    }
    guard case .valueNotFound = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("what is nested deeper than a reader accepts is refused, and not written")
  func depth() throws {
    indirect enum Chain: Codable {
      case end
      case link(Chain)
      init(from decoder: any Decoder) throws { self = .end }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        if case .link(let next) = self { try container.encode(next) }
      }
    }
    var chain = Chain.end
    for _ in 0..<499 { chain = .link(chain) }
    let text = try Self.text(chain)
    _ = try JSONValue(parsing: text.utf8, limits: .init(depth: 512))
    for _ in 0..<2 { chain = .link(chain) }
    #expect(throws: EncodingError.self) { try JSONValue(encoding: chain) }
  }
}
