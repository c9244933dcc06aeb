import EventLoop
public import HistoryModel

/// The one place of a store that several programs share.
///
/// A group is a folder below a root, and a store is a file in it. The root is the first of these
/// that is given, and no other is tried when something is wrong with it:
///
/// 1. the one that is named;
/// 2. `$HISTORYWATCH_GROUPS`;
/// 3. the user's data directory, `$XDG_DATA_HOME`, or `$HOME/.local/share` where that is not set.
///
/// A variable that is set and empty counts as not set. One with a relative path is refused: it would
/// be another place for each program.
///
/// ```swift
/// let location = try StoreLocation(group: "com.example.tasks", name: "tasks.db")
/// print(location)  // /home/me/.local/share/com.example.tasks/tasks.db
/// ```
public struct StoreLocation: Sendable, Hashable {
  /// The group's name.
  public let group: String
  /// The store's name in it.
  public let name: String
  /// The file, from the root of the file system on and without symbolic links.
  ///
  /// There need not be anything; the folder that it is in is there, and can be written to.
  public let path: String

  /// Finds the place of a store.
  ///
  /// - Parameters:
  ///   - group: The group's name, such as `com.example.tasks`: one part of a path, which does not
  ///     begin with a dot.
  ///   - name: The name of the store's file, of the same kind.
  ///   - root: The folder in which groups are; nil to ask the environment.
  ///   - createsGroup: Whether the group's folder is made where it is missing, for this user only;
  ///     the root never is. For the store's owner.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `usage` for a name that cannot be one, and
  ///   with reason `missing` or `permissions` when the folder is not there or cannot be written to.
  public init(
    group: String, name: String, root: String? = nil, createsGroup: Bool = false
  ) throws(HistoryError) {
    try self.init(
      group: group, name: name, root: root, createsGroup: createsGroup,
      environment: ProcessEnvironment.value)
  }

  /// Finds the place of a store in an environment.
  package init(
    group: String, name: String, root: String? = nil, createsGroup: Bool = false,
    environment: (String) -> String?
  ) throws(HistoryError) {
    try Self.check(group, "group")
    try Self.check(name, "store")
    self.group = group
    self.name = name
    let root =
      if let root { ProcessEnvironment.absolutePath(root) } else {
        try Self.root(in: environment)
      }
    let directory = "\(root)/\(group)"
    try Self.checkPlace(root, isWritten: createsGroup && !FileNames.isTaken(directory))
    if createsGroup {
      do throws(DurableFile.Failure) {
        try FileNames.makeDirectory(directory)
      } catch {
        throw .directoryUnusable(directory, error)
      }
    }
    try Self.checkPlace(directory, isWritten: true)
    path = FileNames.resolved("\(directory)/\(name)")
  }

  private static func root(in environment: (String) -> String?) throws(HistoryError) -> String {
    for (variable, rest) in [
      ("HISTORYWATCH_GROUPS", ""), ("XDG_DATA_HOME", ""), ("HOME", "/.local/share"),
    ] {
      guard let value = environment(variable), !value.isEmpty else { continue }
      guard value.hasPrefix("/") else { throw .relativeRoot(variable) }
      return value + rest
    }
    throw .noRoot
  }

  /// A name must be one part of a path, and one that is shown: what it names is to be found.
  private static func check(_ name: String, _ what: String) throws(HistoryError) {
    let bytes = name.utf8
    guard !bytes.isEmpty, bytes.count <= 200, bytes.first != UInt8(ascii: "."),
      !bytes.contains(UInt8(ascii: "/")), !bytes.contains(0)
    else { throw .noName(what) }
  }

  private static func checkPlace(_ path: String, isWritten: Bool) throws(HistoryError) {
    do throws(DurableFile.Failure) {
      if isWritten {
        try FileNames.checkDirectory(path)
      } else {
        try FileNames.checkIsDirectory(path)
      }
    } catch {
      throw .directoryUnusable(path, error)
    }
  }
}

extension StoreLocation: CustomStringConvertible {
  /// The file.
  public var description: String { path }
}
