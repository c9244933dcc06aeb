import CLibUV

/// The memory of one libuv handle, and libuv's three rules about it.
///
/// The memory never moves, it is freed only in the close callback, and closing may be asked for
/// any number of times. After `close` libuv calls nothing of the handle's any more, so the owner
/// may go at once. Confined to the loop, except that the last reference may be dropped anywhere.
final class LoopHandle {
  let executor: LoopExecutor
  /// `nil` once closing has been asked for.
  private var memory: UnsafeMutableRawPointer?

  /// Makes a handle of the kind `type`.
  ///
  /// - Parameters:
  ///   - type: The kind, which says how much memory it needs.
  ///   - _: The kind's structure.
  ///   - executor: The loop that it belongs to.
  ///   - operation: The name of the C function that `initialize` calls, for the error.
  ///   - initialize: Calls the kind's init function.
  /// - Throws: ``LoopError`` if that function fails.
  init<Raw>(
    _ type: uv_handle_type, as _: Raw.Type, on executor: LoopExecutor, _ operation: String,
    initialize: (UnsafeMutablePointer<uv_loop_t>, UnsafeMutablePointer<Raw>) -> CInt
  ) throws(LoopError) {
    executor.checkIsolated()
    self.executor = executor
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: uv_handle_size(type), alignment: MemoryLayout<max_align_t>.alignment)
    let status = initialize(executor.loop, memory.bindMemory(to: Raw.self, capacity: 1))
    guard status >= 0 else {
      memory.deallocate()
      throw LoopError(operation, status: status)
    }
    // libuv leaves it as it was.
    memory.assumingMemoryBound(to: uv_handle_t.self).pointee.data = nil
    self.memory = memory
  }

  deinit { close() }

  /// Whose callbacks a handle's are, as long as he is there.
  ///
  /// An owner whose last reference goes on another thread is gone before the loop has closed the
  /// handle, and until then libuv may still call back.
  private final class Owner {
    weak var object: AnyObject?

    init(_ object: AnyObject) { self.object = object }
  }

  /// Says whose callbacks the handle's are, once; the handle does not keep him.
  func belong(to owner: AnyObject) {
    guard let handle = memory?.assumingMemoryBound(to: uv_handle_t.self) else { return }
    precondition(handle.pointee.data == nil, "A handle has one owner.")
    handle.pointee.data = Unmanaged.passRetained(Owner(owner)).toOpaque()
  }

  /// The owner that a callback of libuv's is for; nil if he is gone.
  static func owner<Raw, Object: AnyObject>(
    of raw: UnsafeMutablePointer<Raw>?, as _: Object.Type
  ) -> Object? {
    guard let raw else { return nil }
    // Every handle begins with the fields of uv_handle_t, and `data` is the first of them.
    let data = UnsafeMutableRawPointer(raw).assumingMemoryBound(to: uv_handle_t.self).pointee.data
    let owner = data.map { Unmanaged<Owner>.fromOpaque($0).takeUnretainedValue() }
    return owner?.object.map { unsafeDowncast($0, to: Object.self) }
  }

  /// Calls `body` with the handle, or does nothing and returns `nil` if it is closed.
  @discardableResult
  func with<Raw>(_: Raw.Type, _ body: (UnsafeMutablePointer<Raw>) -> CInt) -> CInt? {
    executor.checkIsolated()
    return memory.map { body($0.assumingMemoryBound(to: Raw.self)) }
  }

  /// Closes the handle: no callback comes after this.
  func close() {
    guard let memory = memory.take() else { return }
    if CurrentLoop.isRunning(executor) {
      Self.close(memory)
    } else {
      let bits = UInt(bitPattern: memory)
      executor.perform {
        if let memory = UnsafeMutableRawPointer(bitPattern: bits) { LoopHandle.close(memory) }
      }
    }
  }

  /// Closes the handle, and then the descriptor that it watches.
  ///
  /// Not before: the number may be another one's a moment later, and closing the handle would take that
  /// one's watch away.
  func close(watching descriptor: CInt) {
    close()
    if CurrentLoop.isRunning(executor) {
      closeDescriptor(descriptor)
    } else {
      executor.perform { closeDescriptor(descriptor) }
    }
  }

  private static func close(_ memory: UnsafeMutableRawPointer) {
    let handle = memory.assumingMemoryBound(to: uv_handle_t.self)
    if let owner = handle.pointee.data {
      handle.pointee.data = nil
      Unmanaged<Owner>.fromOpaque(owner).release()
    }
    uv_close(handle) { UnsafeMutableRawPointer($0)?.deallocate() }
  }
}
