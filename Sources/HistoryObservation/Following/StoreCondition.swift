/// Whether a store can be followed at the moment.
package enum StoreCondition: Sendable, Hashable {
  /// It can.
  case followed
  /// Another process has had it locked for a second or more; it is tried again.
  case locked
  /// There is no file at the path; it is waited for.
  case missing
}
