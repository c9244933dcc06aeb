import EventLoop
import SQLite

/// What the program and its libraries call themselves.
enum Version {
  /// The program's version.
  static let program = "0.1.0"

  /// What `--version` prints.
  static var text: String {
    """
    historywatch \(program)
    SQLite \(SQLiteLibrary.version)
    libuv \(LoopExecutor.libraryVersion)

    """
  }
}
