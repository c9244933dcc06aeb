package import SQLite

/// Decides what the body of a transaction may do.
///
/// It may not end the transaction that it is a part of, reach into other files, or write where only
/// capture writes. Savepoints are fine.
///
/// The rule stays with the connection and is switched, since setting one makes SQLite compile every
/// statement anew that was prepared before.
package final class BodyLimits {
  /// Whether a body is running; what is prepared outside of one is the writer's own.
  package var isInForce = false

  package init() {}

  /// What SQLite is to do with an action.
  package func decide(_ action: AuthorizerAction) -> AuthorizerDecision {
    guard isInForce else { return .allow }
    switch action.code {
    case .transaction, .attach, .detach:
      return .deny
    case .insert, .update, .delete:
      // What a trigger writes it writes on behalf of a statement that was allowed.
      let isOurs = action.first.map(Layout.isOurs) ?? false
      return isOurs && action.trigger == nil ? .deny : .allow
    case .dropTable, .dropView, .alterTable:
      let name = action.code == .alterTable ? action.second : action.first
      return name.map(Layout.isOurs) ?? false ? .deny : .allow
    default:
      return .allow
    }
  }
}
