/// Why bytes are not a JSON text that is accepted, and where.
///
/// It never contains any of the bytes.
public struct JSONError: Error, Equatable, Sendable {
  /// Where the reader gave up.
  public let position: JSONPosition
  /// What is wrong there, as the end of a sentence.
  public let reason: String

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - reason: What is wrong, as the end of a sentence.
  ///   - position: Where.
  public init(_ reason: String, at position: JSONPosition) {
    self.position = position
    self.reason = reason
  }
}

extension JSONError: CustomStringConvertible {
  /// The place and the reason, such as `line 3, column 7: a value is expected`.
  public var description: String { "\(position): \(reason)" }
}

/// Every sentence that the reader can say.
enum JSONFault: String {
  case endsEarly = "the text ends too early"
  case valueExpected = "a value is expected"
  case nameExpected = "a name in double quotes is expected"
  case colonExpected = "a colon is expected after the name"
  case commaOrBraceExpected = "a comma or a closing brace is expected"
  case commaOrBracketExpected = "a comma or a closing bracket is expected"
  case trailingComma = "a comma must be followed by another element"
  case comment = "JSON has no comments"
  case more = "nothing may follow the value"
  case byteOrderMark = "the text must not begin with a byte order mark"
  case duplicateName = "the object has a member of this name already"
  case tooDeep = "arrays and objects are nested too deeply"
  case tooLong = "the text is longer than is accepted"
  case literal = "only true, false and null may stand without quotes"
  case leadingZero = "a number must not begin with a zero that another digit follows"
  case digitExpected = "a digit is expected"
  case singleQuote = "strings stand in double quotes"
  case control = "a control character in a string must be escaped"
  case unknownEscape = "there is no such escape"
  case hexadecimalExpected = "four hexadecimal digits are expected after \\u"
  case loneSurrogate = "half of a surrogate pair means nothing alone"
  case malformed = "the string is not valid UTF-8"
}
