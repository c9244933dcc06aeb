import CSQLite
private import Glibc

/// A file system layer over the system's own: SQLite's description of it and, behind that, where
/// callbacks find what belongs to the layer.
///
/// SQLite hands each callback the address of the description, which is the address of this.
struct VFSLayer {
  private var vfs: sqlite3_vfs
  private let owner: Unmanaged<AnyObject>

  /// The system's layer, whichever is the usual one by now.
  static var system: UnsafeMutablePointer<sqlite3_vfs>? { sqlite3_vfs_find(systemName) }

  // Asked before any layer of ours is registered, and so before one is the usual one.
  private static let systemName = sqlite3_vfs_find(nil).map { String(cString: $0.pointee.zName) }

  /// Registers a layer, which stays until the process ends.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - isUsual: Whether connections that ask for no layer get it.
  ///   - owner: What the callbacks need.
  ///   - change: What differs from the system's layer, whose methods get the address of this one.
  static func register(
    name: String, isUsual: Bool = false, owner: AnyObject,
    _ change: (inout sqlite3_vfs) -> Void
  ) {
    guard let system else { return }
    var vfs = system.pointee
    vfs.pNext = nil
    vfs.zName = UnsafePointer(strdup(name))
    change(&vfs)
    // Never freed: SQLite's list of layers refers to it until the process ends.
    let layer = UnsafeMutablePointer<VFSLayer>.allocate(capacity: 1)
    layer.initialize(to: VFSLayer(vfs: vfs, owner: .passRetained(owner)))
    layer.withMemoryRebound(to: sqlite3_vfs.self, capacity: 1) {
      _ = sqlite3_vfs_register($0, isUsual ? 1 : 0)
    }
  }

  /// What belongs to the layer that a callback was called for.
  static func owner<T: AnyObject>(
    of vfs: UnsafeMutablePointer<sqlite3_vfs>?, as type: T.Type
  ) -> T? {
    guard let vfs else { return nil }
    return UnsafeRawPointer(vfs).assumingMemoryBound(to: VFSLayer.self).pointee.owner
      .takeUnretainedValue() as? T
  }
}
