/// A text that is a number followed by a unit, such as `10s`.
struct MeasuredText: Hashable, Sendable {
  /// The digits.
  let digits: Substring
  /// What follows them.
  let unit: Substring

  /// Takes a text apart, or returns nil if either part is missing.
  init?(_ text: String) {
    let digits = text.prefix { $0.isASCII && $0.isWholeNumber }
    guard !digits.isEmpty, digits.endIndex < text.endIndex else { return nil }
    self.digits = digits
    unit = text[digits.endIndex...]
  }

  /// The number times what its unit stands for, or nil if that is more than a limit.
  func product(_ factor: Int, limit: Int) -> Int? {
    guard let number = Int(digits) else { return nil }
    let (product, overflow) = number.multipliedReportingOverflow(by: factor)
    return overflow || product > limit ? nil : product
  }
}
