private import Glibc

/// A terminal that a test sits at: what the program shows there can be read.
public final class PseudoTerminal: Sendable {
  /// The device that a program opens.
  let name: String
  /// Our side.
  let descriptor: Int32

  /// Makes a terminal.
  ///
  /// - Parameters:
  ///   - columns: How wide it is.
  ///   - rows: How high it is.
  /// - Throws: ``OperatingSystemError`` if the system has none left.
  public init(columns: UInt16 = 80, rows: UInt16 = 24) throws {
    descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else { throw OperatingSystemError("open") }
    // What ptsname and unlockpt do, which Swift's Glibc module does not show: TIOCGPTN, TIOCSPTLCK.
    var number: UInt32 = 0
    var isLocked: Int32 = 0
    guard ioctl(descriptor, 0x8004_5430, &number) == 0,
      ioctl(descriptor, 0x4004_5431, &isLocked) == 0
    else { throw OperatingSystemError("ioctl") }
    name = "/dev/pts/\(number)"
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    guard ioctl(descriptor, UInt(TIOCSWINSZ), &size) == 0 else {
      throw OperatingSystemError("ioctl")
    }
  }

  deinit { close(descriptor) }

  /// Types something.
  ///
  /// - Parameter keys: The keys, such as `q`.
  public func type(_ keys: String) {
    let bytes = Array(keys.utf8)
    _ = write(descriptor, bytes, bytes.count)
  }
}
