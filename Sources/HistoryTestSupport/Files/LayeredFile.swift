import CSQLite

/// A file of SQLite's that lies over one of the system's layer, in the same piece of memory.
///
/// Each call is judged by the directory that the file is in, and goes down to the system's file if it
/// passes. It has the methods of a write-ahead log and of memory maps, as the system's has.
struct LayeredFile {
  private var file: sqlite3_file
  private let context: Unmanaged<Context>

  /// What a file needs to know of itself.
  private final class Context {
    let path: String
    let directory: DirectoryWatcher

    init(_ path: String, _ directory: DirectoryWatcher) {
      self.path = path
      self.directory = directory
    }
  }

  typealias Pointer = UnsafeMutablePointer<sqlite3_file>

  /// How many bytes it needs before the system's file, which follows it.
  static let size = (MemoryLayout<LayeredFile>.size + 15) & ~15

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - file: The memory that SQLite gave.
  ///   - path: The file's path.
  ///   - directory: Who judges its calls.
  ///   - system: Opens the system's file at an address.
  /// - Returns: What that gave.
  static func open(
    _ file: Pointer, _ path: String, in directory: DirectoryWatcher, _ system: (Pointer) -> Int32
  ) -> Int32 {
    let below = below(file)
    below.pointee.pMethods = nil
    let code = system(below)
    guard code == SQLITE_OK, below.pointee.pMethods != nil else { return code }
    UnsafeMutableRawPointer(file).bindMemory(to: LayeredFile.self, capacity: 1).initialize(
      to: LayeredFile(
        file: sqlite3_file(pMethods: UnsafePointer(methods)),
        context: .passRetained(Context(path, directory))))
    directory.opened()
    return code
  }

  private static func below(_ file: Pointer) -> Pointer {
    (UnsafeMutableRawPointer(file) + size).assumingMemoryBound(to: sqlite3_file.self)
  }

  private static func context(_ file: Pointer) -> Unmanaged<Context> {
    UnsafeRawPointer(file).assumingMemoryBound(to: LayeredFile.self).pointee.context
  }

  /// Judges a call, and makes it unless it fails.
  private static func attempt(
    _ kind: FileCalls, _ file: Pointer?, offset: Int64 = 0,
    bytes: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
    _ call: (_ below: Pointer, _ methods: sqlite3_io_methods, _ count: Int) -> Int32
  ) -> Int32 {
    guard let file, let methods = below(file).pointee.pMethods?.pointee else {
      return SQLITE_IOERR
    }
    let context = context(file).takeUnretainedValue()
    let verdict = context.directory.verdict(
      on: FileCall(kind: kind, path: context.path, offset: offset, bytes: bytes))
    switch verdict {
    case .passes: return call(below(file), methods, bytes.count)
    case .fails(let code): return code
    case .breaksOff(let count, let code):
      _ = call(below(file), methods, count)
      return code
    }
  }

  /// Makes a call that nobody judges.
  private static func pass(
    _ file: Pointer?, _ call: (_ below: Pointer, _ methods: sqlite3_io_methods) -> Int32
  ) -> Int32 {
    guard let file, let methods = below(file).pointee.pMethods?.pointee else {
      return SQLITE_IOERR
    }
    return call(below(file), methods)
  }

  // Written once, before anybody sees it, and never again.
  nonisolated(unsafe) private static let methods: UnsafeMutablePointer<sqlite3_io_methods> = {
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    methods.initialize(to: sqlite3_io_methods())
    methods.pointee.iVersion = 3
    addFileMethods(&methods.pointee)
    addMappingMethods(&methods.pointee)
    return methods
  }()

  private static func addFileMethods(_ methods: inout sqlite3_io_methods) {
    methods.xClose = { file in
      guard let file else { return SQLITE_IOERR }
      let context = LayeredFile.context(file).takeRetainedValue()
      context.directory.closed()
      return LayeredFile.pass(file) { $1.xClose($0) }
    }
    methods.xRead = { file, bytes, count, offset in
      LayeredFile.attempt(.read, file, offset: offset) { below, methods, _ in
        methods.xRead(below, bytes, count, offset)
      }
    }
    methods.xWrite = { file, bytes, count, offset in
      let buffer = UnsafeRawBufferPointer(start: bytes, count: Int(count))
      return LayeredFile.attempt(.write, file, offset: offset, bytes: buffer) {
        below, methods, count in
        methods.xWrite(below, bytes, Int32(count), offset)
      }
    }
    methods.xTruncate = { file, size in
      LayeredFile.attempt(.truncate, file, offset: size) { below, methods, _ in
        methods.xTruncate(below, size)
      }
    }
    methods.xSync = { file, flags in
      LayeredFile.attempt(.sync, file) { below, methods, _ in methods.xSync(below, flags) }
    }
    methods.xFileSize = { file, size in LayeredFile.pass(file) { $1.xFileSize($0, size) } }
    methods.xLock = { file, level in
      LayeredFile.attempt(.lock, file) { below, methods, _ in methods.xLock(below, level) }
    }
    methods.xUnlock = { file, level in LayeredFile.pass(file) { $1.xUnlock($0, level) } }
    methods.xCheckReservedLock = { file, isHeld in
      LayeredFile.pass(file) { $1.xCheckReservedLock($0, isHeld) }
    }
    methods.xFileControl = { file, operation, argument in
      LayeredFile.pass(file) { $1.xFileControl($0, operation, argument) }
    }
    methods.xSectorSize = { file in LayeredFile.pass(file) { $1.xSectorSize($0) } }
    methods.xDeviceCharacteristics = { file in
      LayeredFile.pass(file) { $1.xDeviceCharacteristics($0) }
    }
  }

  private static func addMappingMethods(_ methods: inout sqlite3_io_methods) {
    methods.xShmMap = { file, region, size, extends, result in
      LayeredFile.attempt(.sharedMap, file) { below, methods, _ in
        methods.xShmMap(below, region, size, extends, result)
      }
    }
    methods.xShmLock = { file, offset, count, flags in
      guard flags & SQLITE_SHM_LOCK != 0 else {
        return LayeredFile.pass(file) { $1.xShmLock($0, offset, count, flags) }
      }
      return LayeredFile.attempt(.sharedLock, file) { below, methods, _ in
        methods.xShmLock(below, offset, count, flags)
      }
    }
    methods.xShmBarrier = { file in
      _ = LayeredFile.pass(file) {
        $1.xShmBarrier($0)
        return SQLITE_OK
      }
    }
    methods.xShmUnmap = { file, deletes in LayeredFile.pass(file) { $1.xShmUnmap($0, deletes) } }
    methods.xFetch = { file, offset, count, result in
      LayeredFile.pass(file) { $1.xFetch($0, offset, count, result) }
    }
    methods.xUnfetch = { file, offset, page in
      LayeredFile.pass(file) { $1.xUnfetch($0, offset, page) }
    }
  }
}
