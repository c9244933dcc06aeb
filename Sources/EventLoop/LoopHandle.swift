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
    self.memory = memory
  }

  deinit { close() }

  /// Says whose callbacks the handle's are; the owner must close the handle before it goes.
  func belong(to owner: AnyObject) {
    memory?.assumingMemoryBound(to: uv_handle_t.self).pointee.data =
      Unmanaged.passUnretained(owner).toOpaque()
  }

  /// The owner that a callback of libuv's is for.
  static func owner<Raw, Owner: AnyObject>(
    of raw: UnsafeMutablePointer<Raw>?, as _: Owner.Type
  ) -> Owner? {
    guard let raw else { return nil }
    // Every handle begins with the fields of uv_handle_t, and `data` is the first of them.
    let data = UnsafeMutableRawPointer(raw).assumingMemoryBound(to: uv_handle_t.self).pointee.data
    return data.map { Unmanaged<Owner>.fromOpaque($0).takeUnretainedValue() }
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

  private static func close(_ memory: UnsafeMutableRawPointer) {
    let handle = memory.assumingMemoryBound(to: uv_handle_t.self)
    handle.pointee.data = nil
    uv_close(handle) { UnsafeMutableRawPointer($0)?.deallocate() }
  }
}
