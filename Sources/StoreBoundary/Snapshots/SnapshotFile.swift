import EventLoop
package import HistoryModel

/// The file that holds a snapshot, which is there whole or not at all.
package struct SnapshotFile: Sendable {
  /// The file's path.
  package let path: String
  /// A file whose users may use the snapshot; nil for this user only.
  private let model: String?

  /// Names a file, which need not exist.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - model: A file; whoever may use that may use the snapshot.
  package init(path: String, like model: String?) {
    self.path = path
    self.model = model
  }

  /// Replaces the file; when this returns it is on the disk.
  ///
  /// - Parameter bytes: What it is to hold.
  /// - Throws: ``HistoryError`` with code `temporary`; the file is then as it was, and nothing is
  ///   beside it.
  package func replace(with bytes: [UInt8]) throws(HistoryError) {
    do throws(DurableFile.Failure) {
      try DurableFile(path: path).replace(with: bytes, like: model)
    } catch {
      throw .snapshotNotWritten(path, error)
    }
  }
}

/// Every sentence about a snapshot that is not written.
extension HistoryError {
  static func snapshotNotWritten(_ path: String, _ failure: DurableFile.Failure) -> HistoryError {
    HistoryError(
      .temporary, "the snapshot \(path) cannot be written: \(failure)",
      hint: failure.isDiskFull
        ? "make room; the file is as it was"
        : failure.isDirectory
          ? "name a file in that directory"
          : "check that its directory exists and can be written to; the file is as it was",
      cause: failure)
  }

  static func notEncoded(_ path: String, _ cause: any Error) -> HistoryError {
    HistoryError(
      .usage, "the payload of the snapshot \(path) cannot be encoded",
      hint: "numbers must be finite, and nesting is limited to 500 levels", cause: cause)
  }

  static var snapshotsStopped: HistoryError {
    HistoryError(.temporary, "the writer of the snapshot was stopped", hint: "make a new one")
  }
}
