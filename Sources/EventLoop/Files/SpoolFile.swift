import CLibUV

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file without a name that takes bytes until somebody can use them.
///
/// It goes with its owner, also when the process is killed.
public final class SpoolFile {
  private let descriptor: CInt
  /// How many bytes were appended.
  public private(set) var count = 0
  private var position = 0

  /// Makes an empty file below `TMPDIR`, or below `/tmp`.
  ///
  /// - Throws: ``DurableFile/Failure`` when it cannot be made.
  public init() throws(DurableFile.Failure) {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var request = uv_fs_t()
    // It closes on exec from the first moment: a program that is started meanwhile would keep the
    // rows, and their room on the disk. Without a callback no loop is asked.
    let result = uv_fs_mkstemp(nil, &request, "\(parent)/historywatch-XXXXXX", nil)
    defer { uv_fs_req_cleanup(&request) }
    guard result >= 0, let path = request.path else {
      throw DurableFile.Failure(operation: "creating", number: -result)
    }
    descriptor = result
    unlink(path)
  }

  deinit { close(descriptor) }

  /// Appends bytes.
  ///
  /// - Parameter bytes: What to append.
  /// - Throws: ``DurableFile/Failure``, such as of a full disk.
  public func append(_ bytes: [UInt8]) throws(DurableFile.Failure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes {
        pwrite(descriptor, $0.baseAddress, $0.count, off_t(count))
      }
      if written < 0 {
        if errno == EINTR { continue }
        throw DurableFile.Failure(operation: "writing", number: errno)
      }
      rest = rest.dropFirst(written)
      count += written
    }
  }

  /// Takes the next bytes out.
  ///
  /// - Parameter limit: How many at most.
  /// - Returns: The bytes; none when all were taken.
  /// - Throws: ``DurableFile/Failure``.
  public func next(_ limit: Int) throws(DurableFile.Failure) -> [UInt8] {
    var chunk = [UInt8](repeating: 0, count: min(limit, count - position))
    guard !chunk.isEmpty else { return [] }
    let taken = chunk.withUnsafeMutableBytes {
      pread(descriptor, $0.baseAddress, $0.count, off_t(position))
    }
    guard taken > 0 else { throw DurableFile.Failure(operation: "reading", number: errno) }
    position += taken
    return Array(chunk[..<taken])
  }
}
