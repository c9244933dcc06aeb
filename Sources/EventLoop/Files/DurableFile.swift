import CLibUV

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A small file that is read and written whole.
public struct DurableFile: Sendable {
  /// What the system refused.
  public struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
    /// What was tried.
    public let operation: String
    /// The system's error number.
    public let number: CInt

    /// Makes a failure.
    ///
    /// - Parameters:
    ///   - operation: What was tried.
    ///   - number: The system's error number.
    public init(operation: String, number: CInt) {
      self.operation = operation
      self.number = number
    }

    /// Whether there was no room for it.
    package var isDiskFull: Bool { number == ENOSPC || number == EDQUOT }

    /// Whether a directory is in the place of a file.
    package var isDirectory: Bool { number == EISDIR }

    /// Whether there is nothing at the path.
    package var isMissing: Bool { number == ENOENT }

    /// The system's words for the error.
    public var description: String { String(cString: uv_strerror(-number)) }
  }

  /// The file's path.
  public let path: String

  /// Names a file, which need not exist.
  ///
  /// - Parameter path: The file's path.
  public init(path: String) { self.path = path }

  /// Reads the file.
  ///
  /// - Parameter limit: How many bytes to read at most.
  /// - Returns: Its bytes, or nil when there is no such file.
  /// - Throws: ``Failure`` when it is there and cannot be read.
  public func read(limit: Int) throws(Failure) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw Failure(operation: "opening", number: errno)
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while bytes.count < limit {
      #if canImport(Glibc)
        let count = Glibc.read(descriptor, &chunk, min(chunk.count, limit - bytes.count))
      #else
        let count = Darwin.read(descriptor, &chunk, min(chunk.count, limit - bytes.count))
      #endif
      if count < 0 {
        if errno == EINTR { continue }
        throw Failure(operation: "reading", number: errno)
      }
      if count == 0 { break }
      bytes += chunk[..<count]
    }
    return bytes
  }

  /// Replaces the file whole: a reader, and a crash, find the old bytes or the new ones.
  ///
  /// The bytes are written to a temporary file beside it and synced, which is then renamed over
  /// it, and the directory is synced. What is left of a failed attempt is removed.
  ///
  /// - Parameters:
  ///   - bytes: What the file is to hold.
  ///   - model: A file; whoever may use that may use this one. Nil for this user only.
  /// - Throws: ``Failure``; the file is then as it was.
  public func replace(with bytes: [UInt8], like model: String? = nil) throws(Failure) {
    let temporary = Self.temporaryName(beside: path)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Failure(operation: "creating", number: errno) }
    do throws(Failure) {
      defer { close(descriptor) }
      if let model { try FileNames.permit(descriptor, like: model) }
      try write(bytes, to: descriptor)
      guard fsync(descriptor) == 0 else { throw Failure(operation: "syncing", number: errno) }
    } catch {
      unlink(temporary)
      throw error
    }
    guard rename(temporary, path) == 0 else {
      let failure = Failure(operation: "renaming", number: errno)
      unlink(temporary)
      throw failure
    }
    syncDirectory()
  }

  private static let replacements = Guarded<UInt64>(0)

  /// A name that no other thread of the process uses: two that replace the same file at once must not
  /// write into each other's bytes.
  private static func temporaryName(beside path: String) -> String {
    let number = replacements.withLock { count -> UInt64 in
      count += 1
      return count
    }
    return "\(path).\(getpid())-\(number).tmp"
  }

  private func write(_ bytes: [UInt8], to descriptor: CInt) throws(Failure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      #if canImport(Glibc)
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      #else
        let count = rest.withUnsafeBytes { Darwin.write(descriptor, $0.baseAddress, $0.count) }
      #endif
      if count < 0 {
        if errno == EINTR { continue }
        throw Failure(operation: "writing", number: errno)
      }
      rest = rest.dropFirst(count)
    }
  }

  /// Some file systems cannot sync a directory; the rename is then as durable as they make it.
  func syncDirectory() {
    let directory = FileNames.directory(of: path)
    let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}
