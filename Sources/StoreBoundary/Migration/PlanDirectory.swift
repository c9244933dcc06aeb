import EventLoop
public import HistoryModel
import SQLite

extension MigrationPlan {
  /// More than any file of SQL that people wrote.
  private static let fileLimit = 64 << 20

  /// Reads a plan from a directory of numbered SQL files, for programs in any language.
  ///
  /// The files are called `0001_name.sql`, `0002_name.sql`, …; files of other kinds are left alone.
  ///
  /// - Parameter path: The directory's path.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `usage` when there is no such directory, no such file in
  ///   it, or one whose name has no number or that cannot be read, and what ``init(_:)`` throws.
  public init(directory path: String) throws(HistoryError) {
    let names: [String]
    do throws(DurableFile.Failure) {
      names = try FileNames.list(path)
    } catch {
      throw .planNotRead(path, error)
    }
    var versions: [SchemaVersion] = []
    for name in names where name.hasSuffix(".sql") && !name.hasPrefix(".") {
      versions.append(try Self.version(name, in: path))
    }
    guard !versions.isEmpty else { throw .planEmpty(path) }
    try self.init(versions)
  }

  private static func version(
    _ file: String, in directory: String
  ) throws(HistoryError) -> SchemaVersion {
    let stem = file.dropLast(".sql".count)
    let digits = stem.prefix { ("0"..."9").contains($0) }
    let rest = stem.dropFirst(digits.count)
    guard let number = Int(digits), rest.first == "_", rest.count > 1 else {
      throw .planFileUnnumbered(file)
    }
    // A pipe of that name would be waited for.
    guard DatabaseFile(path: "\(directory)/\(file)")?.kind == .file else {
      throw .planFileNotText(file)
    }
    let content: [UInt8]?
    do throws(DurableFile.Failure) {
      content = try DurableFile(path: "\(directory)/\(file)").read(limit: fileLimit + 1)
    } catch {
      throw .planNotRead("\(directory)/\(file)", error)
    }
    guard let content, content.count <= fileLimit,
      let sql = String(validating: content, as: UTF8.self)
    else { throw .planFileNotText(file) }
    return SchemaVersion(number, String(rest.dropFirst()), .lightweight(sql))
  }
}
