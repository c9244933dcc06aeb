import EventLoop
import HistoryModel

/// Keeps a state in a file that is replaced whole, and keeps others from using the file.
///
/// The lock is a file beside it, `.lock`, and lasts as long as this object.
final class ReloadStateFile {
  private let file: DurableFile
  private let lock: FileLock

  /// Locks the file, which need not exist.
  ///
  /// - Parameter path: The file's path.
  /// - Throws: ``HistoryError`` with code `temporary` when another process uses it, or when it
  ///   cannot be locked.
  init(path: String) throws(HistoryError) {
    file = DurableFile(path: path)
    do throws(FileLock.Refusal) {
      lock = try FileLock(path: path + ".lock")
    } catch {
      switch error {
      case .taken: throw .stateFileTaken(path, error)
      case .failed(let number):
        throw .stateFileNotLocked(path, DurableFile.Failure(operation: "opening", number: number))
      }
    }
  }

  /// Locks the file, unless another process uses it.
  ///
  /// - Parameter path: The file's path.
  /// - Returns: The file; nil when another process uses it.
  /// - Throws: ``HistoryError`` with code `temporary` when it cannot be locked.
  static func unlessTaken(path: String) throws(HistoryError) -> ReloadStateFile? {
    do throws(HistoryError) {
      return try ReloadStateFile(path: path)
    } catch {
      if error.cause as? FileLock.Refusal == .taken { return nil }
      throw error
    }
  }

  /// What was kept.
  ///
  /// - Returns: The state; nil when there is no file, which means to begin at the present.
  /// - Throws: ``HistoryError`` with code `invalidToken` when the file is damaged, empty or of
  ///   another version, and `temporary` when it cannot be read.
  func read() throws(HistoryError) -> ReloadState? {
    let content: [UInt8]?
    do throws(DurableFile.Failure) {
      content = try file.read(limit: 4096)
    } catch {
      throw .stateFileNotRead(file.path, error)
    }
    guard let content else { return nil }
    do throws(ReloadState.Flaw) {
      guard let text = String(validating: content, as: UTF8.self) else { throw .damaged }
      return try ReloadState(text)
    } catch {
      switch error {
      case .unknownVersion: throw .stateFileOfAnotherVersion(file.path)
      case .damaged: throw .stateFileDamaged(file.path)
      }
    }
  }

  /// Keeps a state; when this returns it is on the disk.
  ///
  /// - Parameter state: The state.
  /// - Throws: ``HistoryError`` with code `temporary`; the old state is then still there.
  func replace(with state: ReloadState) throws(HistoryError) {
    do throws(DurableFile.Failure) {
      try file.replace(with: Array(state.text.utf8))
    } catch {
      throw .stateFileNotWritten(file.path, error)
    }
  }
}
