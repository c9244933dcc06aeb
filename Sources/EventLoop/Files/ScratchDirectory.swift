import CLibUV

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A directory for temporary files, which goes when its owner does.
public final class ScratchDirectory: Sendable {
  /// The directory's path.
  public let path: String

  /// Makes a new, empty directory below `TMPDIR`, or below `/tmp`.
  ///
  /// - Parameter name: What its name begins with.
  /// - Throws: ``DurableFile/Failure`` when it cannot be made.
  public init(named name: String) throws(DurableFile.Failure) {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/\(name)-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw DurableFile.Failure(operation: "making a directory", number: errno)
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { remove() }

  /// Removes the directory and the files in it, as far as that is possible.
  ///
  /// For whoever cannot wait until nobody has it any more, such as a program about to end.
  public func remove() {
    if let directory = opendir(path) {
      while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != "." && name != ".." { unlink("\(path)/\(name)") }
      }
      closedir(directory)
    }
    rmdir(path)
  }
}
