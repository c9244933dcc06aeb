#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What can be done with files without opening them: naming, listing, renaming, removing.
///
/// Files of a database are never opened but by SQLite, since closing one drops its locks.
package enum FileNames {
  /// The path without symbolic links, as SQLite sees a database.
  ///
  /// - Parameter path: A path; of what does not exist only the directory is followed.
  /// - Returns: The path from the root on.
  package static func resolved(_ path: String) -> String { StoreFiles(database: path).database }

  /// The directory part of a path, which is not looked at.
  ///
  /// - Parameter path: A path.
  /// - Returns: What stands before its last slash; `.` where there is none.
  package static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Whether there is anything at a path, also a symbolic link that leads nowhere.
  ///
  /// - Parameter path: The path.
  /// - Returns: Whether there is.
  package static func isTaken(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// Who may do what with a file.
  ///
  /// - Parameter path: The file's path.
  /// - Returns: The bits of its permissions, such as 0o640; nil when there is nothing.
  package static func permissions(of path: String) -> UInt32? {
    var status = stat()
    return stat(path, &status) == 0 ? UInt32(status.st_mode & 0o7777) : nil
  }

  /// Says whether files can be made in a directory.
  ///
  /// - Parameter path: The directory's path.
  /// - Throws: ``DurableFile/Failure`` when there is no directory, or none that this user may write to.
  package static func checkDirectory(_ path: String) throws(DurableFile.Failure) {
    try checkIsDirectory(path)
    guard access(path, W_OK | X_OK) == 0 else {
      throw DurableFile.Failure(operation: "writing to", number: errno)
    }
  }

  /// Whether there is an ordinary file.
  ///
  /// - Parameter path: Its path.
  /// - Returns: False where there is something else or nothing.
  package static func isRegularFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Says whether there is a directory.
  ///
  /// - Parameter path: Its path.
  /// - Throws: ``DurableFile/Failure`` when there is none, or none that this user may know of.
  package static func checkIsDirectory(_ path: String) throws(DurableFile.Failure) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw DurableFile.Failure(operation: "finding", number: errno)
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw DurableFile.Failure(operation: "finding", number: ENOTDIR)
    }
  }

  /// Makes a directory that only this user may use, unless there is something, and makes it last.
  ///
  /// - Parameter path: Where; what it is to be in must be there.
  /// - Throws: ``DurableFile/Failure``.
  package static func makeDirectory(_ path: String) throws(DurableFile.Failure) {
    guard mkdir(path, 0o700) == 0 else {
      if errno == EEXIST { return }
      throw DurableFile.Failure(operation: "making", number: errno)
    }
    DurableFile(path: path).syncDirectory()
  }

  /// The names in a directory, sorted by their bytes.
  ///
  /// - Parameter path: The directory's path.
  /// - Returns: The names, without `.` and `..`; one that is no UTF-8 is left out.
  /// - Throws: ``DurableFile/Failure`` when it cannot be read.
  package static func list(_ path: String) throws(DurableFile.Failure) -> [String] {
    guard let directory = opendir(path) else {
      throw DurableFile.Failure(operation: "reading", number: errno)
    }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: Int(entry.pointee.d_reclen)) {
          String(validatingCString: $0)
        }
      }
      if let name, name != ".", name != ".." { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Gives a file another name in the same file system, over whatever has it, and makes that last.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - target: Its new path.
  /// - Throws: ``DurableFile/Failure``; nothing has changed then.
  package static func rename(_ path: String, to target: String) throws(DurableFile.Failure) {
    #if canImport(Glibc)
      let status = Glibc.rename(path, target)
    #else
      let status = Darwin.rename(path, target)
    #endif
    guard status == 0 else { throw DurableFile.Failure(operation: "renaming", number: errno) }
    DurableFile(path: target).syncDirectory()
  }

  /// Gives a file a second name in the same file system, and makes that last.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - name: Its second path; nothing may be there.
  /// - Throws: ``DurableFile/Failure``; nothing has changed then.
  package static func link(_ path: String, to name: String) throws(DurableFile.Failure) {
    #if canImport(Glibc)
      let status = Glibc.link(path, name)
    #else
      let status = Darwin.link(path, name)
    #endif
    guard status == 0 else { throw DurableFile.Failure(operation: "linking", number: errno) }
    DurableFile(path: name).syncDirectory()
  }

  /// Removes a file, if there is one, and makes that last.
  ///
  /// - Parameter path: The file.
  /// - Throws: ``DurableFile/Failure`` when it is still there.
  package static func remove(_ path: String) throws(DurableFile.Failure) {
    guard unlink(path) == 0 else {
      if errno == ENOENT { return }
      throw DurableFile.Failure(operation: "removing", number: errno)
    }
    DurableFile(path: path).syncDirectory()
  }

  /// Makes an empty file that whoever may read or write another one may read or write, and no more.
  ///
  /// - Parameters:
  ///   - path: Where; nothing may be there yet.
  ///   - model: The other file; nil for one that only this user may use.
  /// - Throws: ``DurableFile/Failure``, with `EEXIST` when something is there.
  package static func create(_ path: String, like model: String?) throws(DurableFile.Failure) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw DurableFile.Failure(operation: "creating", number: errno) }
    defer { close(descriptor) }
    guard let model else { return }
    do throws(DurableFile.Failure) {
      try permit(descriptor, like: model)
    } catch {
      unlink(path)
      throw error
    }
  }

  /// Lets those use an open file who may use another one.
  static func permit(_ descriptor: CInt, like model: String) throws(DurableFile.Failure) {
    var status = stat()
    guard stat(model, &status) == 0 else { return }
    // A member of the group that may use the original may use this one, where this user can say so.
    let hasGroup = fchown(descriptor, uid_t.max, status.st_gid) == 0
    guard fchmod(descriptor, status.st_mode & (hasGroup ? 0o666 : 0o606)) == 0 else {
      throw DurableFile.Failure(operation: "giving permissions to", number: errno)
    }
  }
}
