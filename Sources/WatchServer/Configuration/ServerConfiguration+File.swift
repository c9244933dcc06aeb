import EventLoop
package import HistoryModel

extension ServerConfiguration {
  /// Reads a file.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - given: The databases that were given on the command line.
  /// - Throws: ``HistoryError`` with code `usage` when there is no such file, it cannot be read, or
  ///   what it says cannot be accepted, which names line and column.
  package init(contentsOf path: String, given: [String] = []) throws(HistoryError) {
    let bytes: [UInt8]?
    do throws(DurableFile.Failure) {
      // One more than is accepted, so that a longer file is not taken for what it begins with.
      bytes = try DurableFile(path: path).read(limit: Self.sizeLimit + 1)
    } catch {
      throw .configurationNotRead(path, error.description)
    }
    guard let bytes else { throw .configurationMissing(path) }
    try self.init(parsing: bytes, path: path, given: given)
  }

  /// What is in force when there is no file.
  ///
  /// - Parameter given: The databases that were given on the command line.
  package init(given: [String]) {
    self.init(
      directory: "", given: given, declared: [], keep: nil, keepSize: nil, reloads: [])
  }
}
