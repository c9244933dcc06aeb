private import CSQLite

/// A rule at an address, so that SQLite can be given a pointer to it.
///
/// Called only from within `sqlite3_prepare` and `sqlite3_step` on the connection that keeps it.
final class Authorizer {
  let rule: (AuthorizerAction) -> AuthorizerDecision

  init(_ rule: @escaping (AuthorizerAction) -> AuthorizerDecision) { self.rule = rule }
}

extension Connection {
  /// Sets a rule that every statement must pass when it is prepared.
  ///
  /// Statements prepared earlier are prepared anew at their next run and meet the rule then. The
  /// rule must not use the connection. The corresponding SQLite function is
  /// `sqlite3_set_authorizer`, see <https://www.sqlite.org/c3ref/set_authorizer.html>.
  ///
  /// - Parameter rule: What to say to each action; nil to allow everything again. A statement that
  ///   it denies fails with the code `.auth`.
  public func setAuthorizer(_ rule: ((AuthorizerAction) -> AuthorizerDecision)?) {
    guard let handle else { return }
    guard let rule else {
      sqlite3_set_authorizer(handle, nil, nil)
      authorizer = nil
      return
    }
    let box = Authorizer(rule)
    sqlite3_set_authorizer(
      handle,
      { context, code, first, second, database, trigger in
        guard let context else { return SQLITE_DENY }
        let action = AuthorizerAction(
          code: .init(rawValue: code), first: first.map { String(cString: $0) },
          second: second.map { String(cString: $0) },
          database: database.map { String(cString: $0) },
          trigger: trigger.map { String(cString: $0) })
        switch Unmanaged<Authorizer>.fromOpaque(context).takeUnretainedValue().rule(action) {
        case .allow: return SQLITE_OK
        case .deny: return SQLITE_DENY
        case .ignore: return SQLITE_IGNORE
        }
      }, Unmanaged.passUnretained(box).toOpaque())
    authorizer = box
  }
}
