/// How far a migration is, for whoever shows it.
///
/// Told in order, on the thread that migrates. New kinds may be added.
public enum MigrationEvent: Sendable, Equatable {
  /// The store is being copied; how many of how many pages are left.
  case copying(remaining: Int, total: Int)
  /// The copy is whole and proven; its path.
  case copied(String)
  /// The marker is gone: nobody else opens the store from now on.
  case cleared
  /// A version's stage begins.
  case began(version: Int, name: String)
  /// A stage's code says how far it is; the total is nil where that is not known.
  case advanced(version: Int, done: Int, total: Int?)
  /// All of a stage is done but its commit.
  case committing(version: Int)
  /// A version is committed.
  case applied(version: Int, name: String)
  /// The store is being verified.
  case verifying
  /// The marker is about to be written.
  case finishing
  /// The marker is there: others may open the store.
  case ready(schema: Int)
}
