/// A place in a JSON text, as an editor shows it.
public struct JSONPosition: Hashable, Sendable, CustomStringConvertible {
  /// The line, from 1.
  public let line: Int
  /// The column, from 1, counted in Unicode scalars.
  public let column: Int

  /// Finds the line and column of a byte.
  init(of place: Int, in bytes: ArraySlice<UInt8>) {
    let before = bytes[..<min(place, bytes.endIndex)]
    line = 1 + before.count { $0 == UInt8(ascii: "\n") }
    let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? before.startIndex
    // Every scalar has exactly one byte that does not continue another.
    column = 1 + before[start...].count { $0 & 0xc0 != 0x80 }
  }

  /// `line 3, column 7`.
  public var description: String { "line \(line), column \(column)" }
}

extension JSONPosition {
  /// One step down into a value: to a member or to an element.
  public enum Step: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    /// To the member of this name.
    case member(String)
    /// To the element at this place.
    case element(Int)

    /// To the member of this name.
    public init(stringLiteral name: String) { self = .member(name) }
    /// To the element at this place.
    public init(integerLiteral place: Int) { self = .element(place) }
  }

  /// Finds where in a text a value stands that turned out to be of no use.
  ///
  /// Values do not carry their places, which nearly nobody asks for; the text is read once more
  /// instead. It is nil if there is no such value or the text is not JSON.
  ///
  /// ```swift
  /// let place = JSONPosition(of: ["kinds", 2, "debounce"], in: text)
  /// ```
  ///
  /// - Parameters:
  ///   - path: The steps from the outermost value to the one that is looked for. Of a member it
  ///     is the name that is found.
  ///   - text: The text that was read.
  /// - Complexity: O(*n*) for *n* bytes before it.
  public init?(of path: [Step], in text: some Collection<UInt8>) {
    let bytes = ArraySlice(text)
    var reader = JSONReader(bytes, limits: .init(depth: .max, bytes: .max))
    guard let place = try? reader.place(of: path) else { return nil }
    self.init(of: place, in: bytes)
  }
}

extension JSONReader {
  /// Goes down a path from where the reader stands.
  fileprivate mutating func place(of path: [JSONPosition.Step]) throws(JSONError) -> Int? {
    skipSpace()
    var found = place
    for step in path {
      guard let next = try go(step) else { return nil }
      found = next
    }
    return found
  }

  /// Goes one step down, and stands before the value then.
  ///
  /// - Returns: Where what was looked for begins, or nil if it is not there.
  private mutating func go(_ step: JSONPosition.Step) throws(JSONError) -> Int? {
    let (open, close): (UInt8, UInt8) =
      switch step {
      case .member: (UInt8(ascii: "{"), UInt8(ascii: "}"))
      case .element: (UInt8(ascii: "["), UInt8(ascii: "]"))
      }
    guard take(open) else { return nil }
    skipSpace()
    if current == close { return nil }
    var index = 0
    while true {
      skipSpace()
      let begin = place
      switch step {
      case .member(let wanted):
        let name = try name()
        try colon()
        if JSONObject.isSame(name.text, wanted) { return begin }
      case .element(let wanted):
        if index == wanted { return begin }
      }
      _ = try value(depth: 1)
      skipSpace()
      guard take(UInt8(ascii: ",")) else { return nil }
      index += 1
    }
  }
}
