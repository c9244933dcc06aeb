private import CSQLite
public import SQLite

/// What SQLite's update hook tells a connection, written down.
///
/// The program does not use the hook, since it sees neither other writers nor all of its own.
public final class UpdateHook {
  /// The operation and table of each call, such as `insert t`.
  public private(set) var calls: [String] = []

  private let connection: Connection

  /// Sets the hook of a connection.
  ///
  /// - Parameter connection: A connection, which must not have another one.
  public init(_ connection: Connection) {
    self.connection = connection
    sqlite3_update_hook(
      connection.handle,
      { context, operation, _, table, _ in
        guard let context, let table else { return }
        let name =
          switch operation {
          case SQLITE_INSERT: "insert"
          case SQLITE_DELETE: "delete"
          default: "update"
          }
        let hook = Unmanaged<UpdateHook>.fromOpaque(context).takeUnretainedValue()
        hook.calls.append("\(name) \(String(cString: table))")
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit { sqlite3_update_hook(connection.handle, nil, nil) }
}
