import Glibc
import HistoryTestSupport
import Testing

/// A file system of a few hundred kilobytes, which only root can make.
final class SmallDisk {
  /// The directory at its root.
  let directory: TemporaryDirectory

  /// Whether one can be made here.
  static let canBeMade = (try? SmallDisk(kilobytes: 64)) != nil

  init(kilobytes: Int) throws {
    directory = try TemporaryDirectory()
    try #require(mount("none", directory.path, "tmpfs", 0, "size=\(kilobytes)k") == 0)
  }

  /// Writes a file until nothing more fits.
  func fill() {
    let descriptor = open(directory.file("filler"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    let block = [UInt8](repeating: 1, count: 4096)
    while write(descriptor, block, block.count) == block.count {}
    close(descriptor)
  }

  /// Makes room again.
  func empty() { unlink(directory.file("filler")) }

  // MNT_DETACH: whatever has a file of it open keeps it for that long.
  deinit { umount2(directory.path, 2) }
}
