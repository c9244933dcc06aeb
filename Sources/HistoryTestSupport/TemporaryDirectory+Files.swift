private import EventLoop
private import Glibc

extension TemporaryDirectory {
  /// Writes a file, which need not outlive the power.
  ///
  /// - Parameters:
  ///   - bytes: What it is to hold.
  ///   - path: Its path.
  /// - Throws: ``OperatingSystemError``.
  package static func write(_ bytes: [UInt8], to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw OperatingSystemError("open") }
    defer { close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { throw OperatingSystemError("write") }
      rest = rest.dropFirst(count)
    }
  }

  /// Copies the files of another directory, of which no database may be open elsewhere.
  ///
  /// What SQLite keeps in shared memory is left out, as after a crash.
  ///
  /// - Parameter source: The path of the other directory.
  /// - Throws: What reading and writing throws.
  package func copyFiles(of source: String) throws {
    for name in try FileNames.list(source) where !name.hasSuffix("-shm") {
      guard let bytes = try DurableFile(path: "\(source)/\(name)").read(limit: .max) else {
        continue
      }
      try Self.write(bytes, to: file(name))
    }
  }
}
