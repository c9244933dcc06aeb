import CLibUV

/// Calls back when something happens to files of one directory.
///
/// It watches the directory, not the files, which may come, go and be replaced: a watch on a file
/// follows the inode and goes deaf. Events carry nothing but a name; several may come as one, and
/// when the kernel's queue overflows some do not come at all, but only after others that did.
/// Confined to the loop.
public final class DirectoryWatch {
  /// What happened to a name.
  public enum Happening: Sendable {
    /// The file was written, or its times or rights were set.
    case changed
    /// The name came, went, or leads to another file.
    case renamed
  }

  private let handle: LoopHandle
  private let names: Set<String>?
  private let callback: (String?, Happening) -> Void

  /// Starts watching.
  ///
  /// - Parameters:
  ///   - directory: The directory's path.
  ///   - names: Which names to call back for, or `nil` for all. Events about the directory itself
  ///     (it was moved or removed) come always, with its own name.
  ///   - executor: The loop that calls back.
  ///   - callback: What to call, with the name if the system tells it, and what happened to it.
  /// - Throws: ``LoopError`` if there is no such directory or the system's number of watches is
  ///   used up (`ENOSPC`).
  public init(
    directory: String, names: Set<String>? = nil, on executor: LoopExecutor,
    _ callback: @escaping (String?, Happening) -> Void
  ) throws(LoopError) {
    self.names = names.map { $0.union([directory.lastPathComponent]) }
    self.callback = callback
    handle = try LoopHandle(
      UV_FS_EVENT, as: uv_fs_event_t.self, on: executor, "uv_fs_event_init",
      initialize: uv_fs_event_init)
    handle.belong(to: self)
    let status = handle.with(uv_fs_event_t.self) { watch in
      uv_fs_event_start(
        watch,
        { LoopHandle.owner(of: $0, as: DirectoryWatch.self)?.happened(to: $1, $2, status: $3) },
        directory, 0)
    }
    try check("uv_fs_event_start", status ?? 0)
  }

  deinit { handle.close() }

  /// Stops watching; no call comes after this.
  public func close() { handle.close() }

  private func happened(to name: UnsafePointer<CChar>?, _ events: CInt, status: CInt) {
    guard status >= 0, let name else { return callback(nil, .renamed) }
    let text = String(cString: name)
    guard names?.contains(text) ?? true else { return }
    let isRename = events & CInt(bitPattern: UV_RENAME.rawValue) != 0
    callback(text, isRename ? .renamed : .changed)
  }
}

extension String {
  /// What stands after the last slash.
  var lastPathComponent: String {
    var path = Substring(self)
    while path.count > 1, path.last == "/" { path.removeLast() }
    return String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
  }
}
