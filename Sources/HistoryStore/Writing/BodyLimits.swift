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
      // What a trigger of capture writes it writes on behalf of a statement that was allowed; one
      // of the application could be made to write anything.
      return isOurs(action.first) && !isOurs(action.trigger) ? .deny : .allow
    case .dropTable, .dropView, .createTable, .createView:
      return isOurs(action.first) ? .deny : .allow
    case .alterTable:
      return isOurs(action.second) ? .deny : .allow
    case .createTrigger, .createTemporaryTrigger, .createIndex:
      // DROP TRIGGER is not told from DROP TABLE of a captured table here.
      return isOurs(action.first) || isOurs(action.second) ? .deny : .allow
    case .pragma:
      // With these the schema would change and nobody notice.
      let isRefused = ["writable_schema", "schema_version"].contains(action.first?.lowercased())
      return isRefused && action.second != nil ? .deny : .allow
    default:
      return .allow
    }
  }
  private func isOurs(_ name: String?) -> Bool { name.map(Layout.isOurs) ?? false }
}
