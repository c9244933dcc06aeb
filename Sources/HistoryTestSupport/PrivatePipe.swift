private import Glibc

/// Both ends of a new pipe, which no process that is started gets by accident.
///
/// `pipe2` is not among what Swift's Glibc module shows, and marking the ends after `pipe` would
/// leave a moment in which a test on another thread starts a process that then keeps them open.
struct PrivatePipe {
  let reading: Int32
  let writing: Int32

  init() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("pipe")
    guard mkfifo(path, 0o600) == 0 else { throw OperatingSystemError("mkfifo") }
    reading = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard reading >= 0 else { throw OperatingSystemError("open") }
    writing = open(path, O_WRONLY | O_CLOEXEC)
    guard writing >= 0 else { throw OperatingSystemError("open") }
    // The one who reads waits.
    guard fcntl(reading, F_SETFL, O_RDONLY) == 0 else { throw OperatingSystemError("fcntl") }
  }
}
