import CSQLite
private import Glibc
private import Synchronization

/// The usual file system layer of SQLite in this process, with directories that are watched.
///
/// Whoever opens a database below a watched directory, by whatever road, has each of its calls
/// counted there, and some of them fail if the test wants it. Everything else goes on as ever: files
/// elsewhere are opened by the system's layer alone. It comes into being with the first directory
/// that is watched, and a database that was opened before is not seen.
///
/// ```swift
/// let directory = try WatchedDirectory(store.directory.path)
/// directory.arm(Fault(.fails, at: 3, of: .write))
/// #expect(throws: HistoryError.self) { try Tracker(store.opened()).track(.init()) }
/// directory.disarm()
/// ```
enum FaultVFS {
  /// The directories that are watched; registers the layer the first time.
  // What it does not change are the system's own functions, which take any description of a layer.
  static let watched: WatchedDirectories = {
    let watched = WatchedDirectories()
    VFSLayer.register(name: "historyfaults", isUsual: true, owner: watched) { vfs in
      vfs.szOsFile += Int32(LayeredFile.size)
      vfs.xOpen = { layer, name, file, flags, outFlags in
        guard let system = VFSLayer.system, let file,
          let watched = VFSLayer.owner(of: layer, as: WatchedDirectories.self)
        else { return SQLITE_CANTOPEN }
        guard let name, let directory = watched.watcher(of: name) else {
          return system.pointee.xOpen(system, name, file, flags, outFlags)
        }
        // SQLite closes only what has methods.
        file.pointee.pMethods = nil
        let path = String(cString: name)
        switch directory.verdict(on: FileCall(kind: .open, path: path)) {
        case .fails(let code), .breaksOff(_, let code): return code
        case .passes: break
        }
        return LayeredFile.open(file, path, in: directory) {
          system.pointee.xOpen(system, name, $0, flags, outFlags)
        }
      }
      vfs.xDelete = { layer, name, syncsDirectory in
        guard let system = VFSLayer.system, let name,
          let watched = VFSLayer.owner(of: layer, as: WatchedDirectories.self)
        else { return SQLITE_IOERR }
        if let directory = watched.watcher(of: name) {
          let call = FileCall(
            kind: .delete, path: String(cString: name), syncsDirectory: syncsDirectory != 0)
          switch directory.verdict(on: call) {
          case .fails(let code), .breaksOff(_, let code): return code
          case .passes: break
          }
        }
        return system.pointee.xDelete(system, name, syncsDirectory)
      }
    }
    return watched
  }()
}

/// Which directories are watched.
final class WatchedDirectories: Sendable {
  private struct Entry: Sendable {
    let prefix: [CChar]
    let watch: DirectoryWatcher
  }

  private let entries = Mutex<[Entry]>([])

  func add(_ watch: DirectoryWatcher, _ path: String) {
    let prefix = Array("\(path)/".utf8CString.dropLast())
    entries.withLock { $0.append(Entry(prefix: prefix, watch: watch)) }
  }

  func remove(_ watch: DirectoryWatcher) {
    entries.withLock { $0.removeAll { $0.watch === watch } }
  }

  func watcher(of name: UnsafePointer<CChar>) -> DirectoryWatcher? {
    entries.withLock { entries in
      entries.first { strncmp(name, $0.prefix, $0.prefix.count) == 0 }?.watch
    }
  }
}
