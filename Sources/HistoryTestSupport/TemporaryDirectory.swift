private import Glibc

/// A directory of its own, deleted with all that is in it when the last reference goes.
public final class TemporaryDirectory: Sendable {
  /// Its absolute path, without a slash at the end.
  public let path: String

  /// Makes an empty directory.
  ///
  /// - Parameter isVolatile: Whether it may be in memory, where the system has such a place: nothing
  ///   waits for a disk there.
  /// - Throws: ``OperatingSystemError`` if it cannot be made.
  public init(isVolatile: Bool = false) throws {
    let usual = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    let parent = isVolatile && access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : usual
    var template = Array("\(parent)/historywatch-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw OperatingSystemError("mkdtemp") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { Self.delete(path) }

  private static func delete(_ path: String) {
    // A directory is not unlinked, and a link to one is not followed.
    if unlink(path) == 0 { return }
    if let directory = opendir(path) {
      while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != ".", name != ".." { delete("\(path)/\(name)") }
      }
      closedir(directory)
    }
    rmdir(path)
  }

  /// The path of a file in the directory, whether or not it exists.
  ///
  /// - Parameter name: The file's name.
  /// - Returns: The path.
  public func file(_ name: String) -> String { "\(path)/\(name)" }
}

/// A call to the operating system that failed.
public struct OperatingSystemError: Error, CustomStringConvertible {
  /// The name of the call and the reason.
  public let description: String

  /// Describes the call that failed last.
  init(_ call: String, code: Int32 = errno) {
    description = "\(call): \(String(cString: strerror(code)))"
  }
}
