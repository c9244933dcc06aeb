package import HistoryModel

/// Which lines somebody wants of a store's history.
///
/// All who want the same share the work of encoding them.
package struct LineRequest: Sendable, Hashable {
  /// Which changes are shown.
  package var filter: ChangeFilter
  /// How changes are put into lines.
  package var group: StreamRequest.Group

  /// Asks for lines.
  ///
  /// - Parameters:
  ///   - filter: Which changes are shown.
  ///   - group: How they are put into lines.
  package init(filter: ChangeFilter = ChangeFilter(), group: StreamRequest.Group = .row) {
    self.filter = filter
    self.group = group
  }
}
