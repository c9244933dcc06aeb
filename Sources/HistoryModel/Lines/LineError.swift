/// Why a line is not one that a stream prints, and in which part of it.
///
/// It names parts by the words of the format only, and never contains anything of the line itself.
public struct LineError: Error, Hashable, Sendable {
  /// The part of the line, such as `changes, element 3, op`; nil for the line as a whole.
  public let part: String?
  /// What is wrong with it, as the end of a sentence.
  public let reason: String

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - reason: What is wrong, as the end of a sentence.
  ///   - part: The part of the line; nil for the whole.
  public init(_ reason: String, in part: String? = nil) {
    self.part = part
    self.reason = reason
  }

  /// The error as one of a part further in.
  func inside(_ outer: String) -> LineError {
    LineError(reason, in: part.map { "\(outer), \($0)" } ?? outer)
  }
}

extension LineError: CustomStringConvertible {
  /// The part and the reason, such as `op: an operation is expected`.
  public var description: String { part.map { "\($0): \(reason)" } ?? reason }
}
