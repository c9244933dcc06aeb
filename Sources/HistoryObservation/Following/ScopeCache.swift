import HistoryModel

/// What an interest means for the shapes that were met, worked out once for each.
struct ScopeCache {
  private var scopes: [ObjectIdentifier: (shape: TableShape, scope: ChangeInterest.Scope)] = [:]

  /// What an interest, always the same, means for a shape.
  mutating func scope(
    of shape: TableShape, for interest: ChangeInterest
  ) -> ChangeInterest.Scope {
    let identifier = ObjectIdentifier(shape)
    if let known = scopes[identifier] { return known.scope }
    // Shapes are few, but a store that is altered for ever must not fill the memory.
    if scopes.count >= 1000 { scopes.removeAll() }
    let scope = interest.scope(of: shape)
    scopes[identifier] = (shape, scope)
    return scope
  }
}
