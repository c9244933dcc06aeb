/// The members of a JSON object, in the order in which they stood.
///
/// No two have the same name. Names are compared by their bytes: columns may well be called by two
/// names that Unicode holds for equivalent.
public struct JSONObject: Sendable {
  /// A name and its value.
  public struct Member: Equatable, Sendable {
    /// The name.
    public let name: String
    /// The value.
    public let value: JSONValue

    /// Makes a member.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: The value.
    public init(name: String, value: JSONValue) {
      self.name = name
      self.value = value
    }

    /// Whether name and value are the same to the last bit.
    public static func == (a: Member, b: Member) -> Bool {
      JSONObject.isSame(a.name, b.name) && a.value == b.value
    }
  }

  private let members: [Member]

  /// Makes an object.
  ///
  /// - Parameter members: Its members, whose names must differ.
  public init(_ members: [Member] = []) { self.members = members }

  /// The value of a member, if there is one of that name.
  ///
  /// - Parameter name: The member's name.
  /// - Complexity: O(*n*) for *n* members before it.
  public subscript(name: String) -> JSONValue? {
    members.first { Self.isSame($0.name, name) }?.value
  }

  /// The names, in order.
  public var names: [String] { members.map(\.name) }

  /// Whether two texts have the same bytes.
  static func isSame(_ a: String, _ b: String) -> Bool {
    // The first half is quick and false for nearly all that differ; equivalent texts pass it.
    a == b && a.utf8.elementsEqual(b.utf8)
  }
}

extension JSONObject: Equatable {}

extension JSONObject: RandomAccessCollection {
  /// The place of the first member.
  public var startIndex: Int { 0 }
  /// The place after the last member.
  public var endIndex: Int { members.count }
  /// The member at a place.
  public subscript(position: Int) -> Member { members[position] }
}
