package import HistoryModel

/// Something that sends lines to one reader until it ends.
///
/// It lives on the loop.
package protocol Subscription: Actor {
  /// Ends it.
  ///
  /// - Parameter reason: What its last line says; nil for no such line.
  func end(_ reason: ByeReason?)

  /// The position up to which everything was sent; nil where it has none.
  var token: HistoryToken? { get }
}
