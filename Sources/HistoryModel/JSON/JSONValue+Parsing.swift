extension JSONValue {
  /// What a reader accepts at most.
  public struct Limits: Hashable, Sendable {
    /// How many arrays and objects may stand inside each other.
    public var depth: Int
    /// How many bytes the text may have.
    ///
    /// A value takes up to 32 times the memory of its text: an array of the smallest objects does.
    public var bytes: Int

    /// Makes limits.
    ///
    /// - Parameters:
    ///   - depth: How many arrays and objects may stand inside each other; at most 512, so that
    ///     no text can exhaust the stack.
    ///   - bytes: How many bytes the text may have.
    public init(depth: Int = 64, bytes: Int = 16 << 20) {
      self.depth = min(depth, 512)
      self.bytes = bytes
    }
  }

  /// Reads a text of JSON as RFC 8259 defines it, and nothing beyond that.
  ///
  /// No comments, no trailing commas, no byte order mark. A name that an object has twice is
  /// refused: one of the two values would be lost, and which one is a matter of taste. Half of a
  /// surrogate pair is refused, since no text can hold it. Numbers are never refused for their
  /// size; see ``outsized(_:)``.
  ///
  /// - Parameters:
  ///   - text: The text, in UTF-8.
  ///   - limits: What is accepted at most.
  /// - Throws: ``JSONError`` with the place and the reason.
  /// - Complexity: O(*n*) for *n* bytes.
  @inlinable
  public init(parsing text: some Collection<UInt8>, limits: Limits = Limits()) throws(JSONError) {
    try self.init(parsing: ArraySlice(text), limits: limits)
  }

  /// Reads a text of JSON that is a part of an array, without copying it.
  ///
  /// - Parameters:
  ///   - text: The text, in UTF-8.
  ///   - limits: What is accepted at most.
  /// - Throws: ``JSONError`` with the place and the reason.
  /// - Complexity: O(*n*) for *n* bytes.
  public init(
    parsing text: ArraySlice<UInt8>, limits: Limits = Limits()
  ) throws(JSONError) {
    var reader = JSONReader(text, limits: limits)
    self = try reader.whole()
  }
}
