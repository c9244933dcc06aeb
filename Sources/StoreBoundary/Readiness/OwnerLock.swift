import EventLoop
package import HistoryModel

/// What keeps a second owner out for as long as it lives: a lock on a file beside the store.
///
/// Never on the store itself: closing any descriptor of it would drop SQLite's locks. The kernel
/// drops the lock when the process dies.
package final class OwnerLock {
  private let lock: FileLock

  /// Takes the lock, without waiting, and says who has it.
  ///
  /// - Parameters:
  ///   - neighbours: The store's files.
  ///   - owner: The name of the program, for whoever is kept out.
  /// - Throws: ``/HistoryModel/HistoryError`` with reason `locked` when another process has it, and
  ///   `permissions` when the lock file cannot be made.
  package init(_ neighbours: StoreNeighbours, owner: String) throws(HistoryError) {
    do throws(FileLock.Refusal) {
      lock = try FileLock(path: neighbours.lock, outlastingQuestions: true)
    } catch {
      switch error {
      case .taken: throw .ownerIsThere(neighbours.database, Self.holder(neighbours))
      case .failed(let number): throw .lockNotMade(neighbours.lock, number)
      }
    }
    // Half a name, or none, keeps nobody from being kept out.
    _ = lock.write("\(owner) (process \(ProcessEnvironment.identifier))\n")
  }

  /// Who has the lock, or had it last, in his own words.
  ///
  /// - Parameter neighbours: The store's files.
  /// - Returns: A name and a process, or nil when nobody left one.
  package static func holder(_ neighbours: StoreNeighbours) -> String? {
    guard let bytes = try? DurableFile(path: neighbours.lock).read(limit: 200), !bytes.isEmpty
    else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    return text.split(separator: "\n").first.map(String.init)
  }

  /// Whether another process has the lock now.
  ///
  /// - Parameter neighbours: The store's files.
  /// - Returns: The answer; no file is made for it.
  package static func isHeld(_ neighbours: StoreNeighbours) -> Bool {
    FileLock.isHeld(path: neighbours.lock)
  }
}
