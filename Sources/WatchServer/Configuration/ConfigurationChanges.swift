/// What is different between the configuration in force and one that was read anew.
package struct ConfigurationChanges: Sendable, Hashable {
  /// A kind that both have, but not alike.
  package struct Change: Sendable, Hashable {
    /// As it was.
    package let old: ReloadDeclaration
    /// As it is to be.
    package let new: ReloadDeclaration
  }

  /// Databases that are to be served from now on, in the new order.
  package let addedDatabases: [String]
  /// Databases that are no longer served, in the old order.
  package let removedDatabases: [String]
  /// Kinds to begin with, in the new order.
  package let added: [ReloadDeclaration]
  /// Kinds to end, in the old order; those of removed databases are among them.
  package let removed: [ReloadDeclaration]
  /// Kinds to go on with in another way, in the new order.
  package let changed: [Change]
  /// Kinds that nothing is to be done about, in the new order.
  package let unchanged: [ReloadDeclaration]
  /// Whether history is to be kept longer, shorter or otherwise than before.
  package let changesRetention: Bool

  /// Compares two configurations; a kind is known by its database and its name.
  ///
  /// - Parameters:
  ///   - old: The one in force.
  ///   - new: The one that was read.
  /// - Complexity: O(*n*) for *n* databases and kinds.
  package init(from old: ServerConfiguration, to new: ServerConfiguration) {
    let (before, after) = (Set(old.databases), Set(new.databases))
    addedDatabases = new.databases.filter { !before.contains($0) }
    removedDatabases = old.databases.filter { !after.contains($0) }
    let key = { (reload: ReloadDeclaration) in [reload.database, reload.timeline] }
    let known = Dictionary(old.reloads.map { (key($0), $0) }) { first, _ in first }
    let wanted = Set(new.reloads.map(key))
    var added: [ReloadDeclaration] = []
    var changed: [Change] = []
    var unchanged: [ReloadDeclaration] = []
    for reload in new.reloads {
      switch known[key(reload)] {
      case nil: added.append(reload)
      case let other? where other.means(reload): unchanged.append(reload)
      case let other?: changed.append(Change(old: other, new: reload))
      }
    }
    (self.added, self.changed, self.unchanged) = (added, changed, unchanged)
    removed = old.reloads.filter { !wanted.contains(key($0)) }
    changesRetention = old.keep != new.keep || old.keepSize != new.keepSize
  }

  /// Whether nothing is to be done.
  package var isEmpty: Bool {
    addedDatabases.isEmpty && removedDatabases.isEmpty && added.isEmpty && removed.isEmpty
      && changed.isEmpty && !changesRetention
  }
}

extension ReloadDeclaration {
  /// Whether another declaration says the same, however it names the database.
  func means(_ other: ReloadDeclaration) -> Bool {
    database == other.database && kind == other.kind && ignoredAuthor == other.ignoredAuthor
      && command == other.command && tellsSubscribers == other.tellsSubscribers
  }
}
