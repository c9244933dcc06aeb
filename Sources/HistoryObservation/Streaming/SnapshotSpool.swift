package import EventLoop
package import HistoryModel

/// Takes the rows of a snapshot for a reader who may be slow, so that he does not keep their read
/// transaction open.
///
/// While the reader keeps up, pages go straight to him. Once he has been waited for for a tenth of a
/// second, in all and not for each page, the rest goes to a file, so that the transaction can end;
/// from there he gets it at his leisure. An open read transaction would keep the write-ahead log from
/// being shortened, and with a rollback journal would keep everybody from writing.
package final class SnapshotSpool {
  /// What became of a page that was offered to the reader.
  package enum Offer: Sendable {
    /// He has it.
    case taken
    /// It is on its way to him, and takes longer.
    case underWay
    /// He did not take it.
    case refused
  }

  private static let pageSize = 1 << 16

  /// For how long he may still be waited for.
  private var patience: Duration
  private let clock: any LoopClock
  private var file: SpoolFile?

  /// Begins with a reader who keeps up.
  ///
  /// - Parameters:
  ///   - patience: How long he may be waited for in all.
  ///   - clock: What time it is.
  package init(
    patience: Duration = .milliseconds(100), clock: some LoopClock = SystemLoopClock()
  ) {
    self.patience = patience
    self.clock = clock
  }

  /// Takes a page; returns soon, whatever the reader does.
  ///
  /// - Parameters:
  ///   - page: Whole lines.
  ///   - offer: Gives a page to the reader, and waits for him, but no longer than it is told.
  /// - Throws: What the offer throws, and `HistoryError` when the page cannot be kept.
  package nonisolated(nonsending) func put(
    _ page: [UInt8], offer: (_ page: [UInt8], _ limit: Duration) async throws -> Offer
  ) async throws {
    if let file { return try keep(page, in: file) }
    if patience > .zero {
      let start = clock.now
      let outcome = try await offer(page, patience)
      patience -= clock.now - start
      switch outcome {
      case .taken: return
      case .underWay:
        return file = try spooling { () throws(DurableFile.Failure) in try SpoolFile() }
      case .refused: break
      }
    }
    let file = try spooling { () throws(DurableFile.Failure) in try SpoolFile() }
    self.file = file
    try keep(page, in: file)
  }

  /// Takes out more of what was kept.
  ///
  /// - Returns: Whole pages or parts of them, in order; nothing when all was taken.
  /// - Throws: `HistoryError` with code `temporary` when the file cannot be read.
  package func next() throws(HistoryError) -> [UInt8] {
    guard let file else { return [] }
    return try spooling { () throws(DurableFile.Failure) in try file.next(Self.pageSize) }
  }

  private func keep(_ page: [UInt8], in file: SpoolFile) throws(HistoryError) {
    try spooling { () throws(DurableFile.Failure) in try file.append(page) }
  }

  private func spooling<T>(
    _ body: () throws(DurableFile.Failure) -> T
  ) throws(HistoryError) -> T {
    do throws(DurableFile.Failure) {
      return try body()
    } catch {
      throw HistoryError(
        .temporary, "the rows of a slow reader cannot be kept for it: \(error)",
        hint: "make room where TMPDIR is, or read faster")
    }
  }
}
